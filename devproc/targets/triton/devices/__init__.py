"""What kernels run on: a card, Triton's interpreter, or a recorder that checks launches."""
