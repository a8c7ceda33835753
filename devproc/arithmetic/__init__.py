"""Arithmetic of kernels, for every target: index builder, float builder, functions.

A function of `math` that a target has no instruction for is written once, in terms of a
`FloatBuilder`; a dialect (`arith`, `vector` and `simd`, or `triton`) provides one.
"""
