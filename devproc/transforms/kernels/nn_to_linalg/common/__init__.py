"""What the lowerings of several families use."""
