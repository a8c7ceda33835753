"""What the passes on attention share: patterns, bands, bounds and positions."""
