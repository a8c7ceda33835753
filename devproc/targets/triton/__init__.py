"""The GPU target: `triton` kernels printed as Triton source, launched or interpreted."""
