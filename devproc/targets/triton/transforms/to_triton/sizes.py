"""Sizes of blocks and grids, and their limits in Triton and CUDA."""

from __future__ import annotations

from math import prod

LARGEST_BLOCK = 1 << 20
"""Triton's limit on the elements of a block."""

LARGEST_GRID = (1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1
"""CUDA's limit on the programs along each axis of a grid."""


def ceil_div(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


def power_of_two(size: int) -> int:
    """The smallest power of two >= `size`."""
    return 1 << max(size - 1, 0).bit_length()


def size_problem(*block: int, grid: tuple[int, ...] = ()) -> str | None:
    """Why a block of this shape or a grid is too large; None if neither is."""
    if prod(block) > LARGEST_BLOCK:
        shape = " x ".join(map(str, block))
        return f"a block of {shape} has more than Triton's {LARGEST_BLOCK} elements"
    for size, limit in zip(grid, LARGEST_GRID, strict=False):
        if size > limit:
            return f"{size} programs are too many for a grid axis: at most {limit}"
    return None
