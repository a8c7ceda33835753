"""Stage `gpu`: kernels for the GPU become block programs of the `triton` dialect."""
