"""The wheel: what it declares and contains, and that it works where it is installed."""
