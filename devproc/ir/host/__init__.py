"""The host program: its parts, its steps, functions that PyTorch runs."""
