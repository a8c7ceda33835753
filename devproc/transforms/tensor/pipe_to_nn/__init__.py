"""Lowerings of the steps of the user's program to `nn` ops, one table per family."""
