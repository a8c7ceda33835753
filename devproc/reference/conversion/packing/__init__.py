"""Packing of weights in PyTorch, a file for each class of layouts."""
