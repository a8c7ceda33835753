"""Products by Strassen's algorithm, one level (Strassen, 1969)."""
