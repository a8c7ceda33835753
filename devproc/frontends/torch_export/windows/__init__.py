"""Import rules of windows: convolutions, pooling, padding, resampling."""
