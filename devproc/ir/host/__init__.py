"""The host program: parts of a batch, steps, and functions that PyTorch runs."""
