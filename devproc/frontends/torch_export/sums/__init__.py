"""Import rules that are built of sums: norms, losses, distances, recurrences."""
