"""3x3 convolutions by Winograd's minimal filtering, in square tiles (Lavin and Gray, 2015)."""
