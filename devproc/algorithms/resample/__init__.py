"""Resampling: sums over taps, along columns or rows."""
