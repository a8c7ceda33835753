"""The ops that resample images, and their filters."""
