"""Construction of steps, and the reporting of errors in them."""
