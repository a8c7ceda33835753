"""The GPU target: `triton` kernels printed as Triton source, launched or interpreted."""

GPU = "cuda"
"""The name of the device."""
