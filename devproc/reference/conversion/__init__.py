"""PyTorch's tensors and dtypes, from and to those of the compiler."""
