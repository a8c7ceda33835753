"""Target-independent arithmetic of kernels: index builder, float builder, functions.

A function of `math` without an instruction on a target is defined once, in terms of a
`FloatBuilder`, which each dialect (`arith`, `vector` and `simd`, or `triton`)
implements.
"""
