# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
"""`tl.dot` of f32 in the interpreter: the factors as tensor cores take them.

The sums are NumPy's: their order and rounding differ from a GPU's, whose tensor cores
truncate. What the precision of a product loses, the factors lose before that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LOST_BITS = 13
"""The fraction bits of f32 that TF32 does not have."""


def product(a: Any, b: Any, precision: str) -> Any:
    """The matrix product of two f32 arrays, as Triton computes it on tensor cores."""
    if precision == "tf32":
        return np.matmul(truncated(a), truncated(b))
    if precision != "tf32x3":
        return np.matmul(a, b)
    big_a, big_b = rounded(a), rounded(b)
    small_a, small_b = truncated(a - big_a), truncated(b - big_b)
    rests = np.matmul(small_a, big_b) + np.matmul(big_a, small_b)
    # As Triton does: the rest of an infinity is NaN.
    return np.where(np.isnan(rests), np.float32(0), rests) + np.matmul(big_a, big_b)


def truncated(x: Any) -> Any:
    """f32 as tensor cores read it: without the last bits."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    cut = (bits >> LOST_BITS << LOST_BITS).view(np.float32)
    return np.where(np.isfinite(x), cut, x)


def rounded(x: Any) -> Any:
    """The nearest TF32 number, the larger of two (`cvt.rna.tf32.f32`)."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    near = (bits + np.uint32(1 << (LOST_BITS - 1))) >> LOST_BITS << LOST_BITS
    return np.where(np.isfinite(x), near.view(np.float32), x)
