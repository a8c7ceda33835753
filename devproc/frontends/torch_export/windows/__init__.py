"""Import rules of windows: convolutions, pooling, resampling."""
