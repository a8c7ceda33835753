"""Import rules based on sums: norms, losses, distances, recurrent steps."""
