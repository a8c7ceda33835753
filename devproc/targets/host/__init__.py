"""PyTorch on the host, for the operators of a program that DevProc does not compile."""
