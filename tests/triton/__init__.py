"""Tests of the printed Triton kernels, under the interpreter and as machine code."""
