"""Passes to one simplified graph of `nn` ops."""
