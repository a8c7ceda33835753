"""Dtypes, sizes and shapes of tensors, without xDSL: for compiled programs too."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

ALIGNMENT = 64
"""Alignment of every buffer in bytes: one cache line, one AVX-512 vector."""

ITEM_SIZES = {
    "complex128": 16,
    "complex64": 8,
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint16": 2,
    "uint8": 1,
    "bool": 1,
}
"""dtype name -> bytes of one element in memory."""

DTYPE_NAMES = tuple(name for name in ITEM_SIZES if not name.startswith("complex"))
"""The dtypes that DevProc computes with; complex ones are left to PyTorch."""


LARGEST_TENSOR = 1 << 47
"""Most bytes of a tensor: the address space of a process."""


def element_count(shape: Iterable[int]) -> int:
    """Number of elements of a static shape; 1 for rank 0."""
    return prod(shape)


def format_shape(shape: Iterable[int]) -> str:
    """A shape in Python's notation: `(1, 3, 8)`."""
    return "(" + ", ".join(str(d) for d in shape) + ")"
