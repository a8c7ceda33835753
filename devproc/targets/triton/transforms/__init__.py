"""Stage `gpu`: GPU kernels become block programs in the `triton` dialect."""
