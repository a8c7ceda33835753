"""The ops that resample images, and the filters that they resample with."""
