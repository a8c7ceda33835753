"""What each `nn` op means, as a PyTorch function, by family."""
