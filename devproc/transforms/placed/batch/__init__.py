"""Analyses of batch splitting: the values that split, and the size of parts."""
