"""How large blocks are and how many warps run them: every such choice is made here.

Two schedules of the same kernels: `gpu`, and `interpret` with blocks as large as the
tensors, because Triton's interpreter pays per operation and hardly per element. The
numbers of the first are rules of thumb from published Triton tuning, not measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from devproc.transforms.gpu.to_triton.builder import power_of_two

SMALLEST_DOT = 16
"""Triton multiplies no smaller blocks; the rest is padding."""


def ceil_div(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


@dataclass(frozen=True)
class DotBlocks:
    """The tile of one program of a contraction."""

    m: int
    n: int
    k: int
    num_warps: int
    num_stages: int


@dataclass(frozen=True)
class Policy:
    """The block sizes of one compilation."""

    interpret: bool = False

    def flat(self, total: int) -> tuple[int, int]:
        """(elements per program, warps) of an elementwise kernel."""
        if self.interpret:
            return min(power_of_two(total), 1 << 17), 4
        # Enough programs to fill the machine before they get larger.
        block = power_of_two(ceil_div(total, 1024))
        return min(max(block, 128), 1024, max(power_of_two(total), 1)), 4

    def tile(self, fast: int, slow: int) -> tuple[int, int]:
        """Block of the two dimensions that a transposing kernel walks."""
        return min(power_of_two(fast), 64), min(power_of_two(slow), 32)

    def longest_row(self) -> int:
        """Elements that a program may hold at once of a reduced row."""
        return 1 << 20 if self.interpret else 1 << 14

    def rows(self, rows: int, columns: int) -> tuple[int, int, int]:
        """(rows, columns, warps) per program of a reduction kernel."""
        width = power_of_two(columns)
        if self.interpret:
            return min(power_of_two(rows), max((1 << 17) // width, 1)), width, 4
        height = min(max(1024 // width, 1), power_of_two(rows))
        warps = 4 if width <= 2048 else 8 if width <= 8192 else 16
        return height, width, warps

    def scan(self, rows: int, columns: int, is_last: bool) -> tuple[int, int]:
        """(rows, columns) of one block of a scan; neighbours in memory are the columns
        where these are the last dimension, else the rows."""
        height, width = power_of_two(rows), power_of_two(columns)
        if self.interpret:
            width = min(width, 1 << 17)
            return min(height, (1 << 17) // width), width
        width = min(width, 1024 if is_last else 32)
        return min(height, 1024 // width), width

    def dot(self, m: int, n: int, k: int, bits: int) -> DotBlocks:
        """The tile of a contraction with operands of `bits` bits."""
        m, n, k = (max(power_of_two(size), SMALLEST_DOT) for size in (m, n, k))
        if self.interpret:
            m, n = min(m, 1024), min(n, 256)
            # NumPy works through a block per operation: stay within its cache.
            return DotBlocks(m, n, min(k, 1024, (1 << 17) // max(m, n)), 4, 1)
        if bits > 16:
            # Exact float32 has no tensor cores: the accumulator fills the registers.
            return DotBlocks(min(m, 64), min(n, 64), min(k, 32), 4, 2)
        tile = DotBlocks(min(m, 128), min(n, 128), min(k, 64), 4, 3)
        warps = 8 if tile.m * tile.n >= 1 << 14 else 4
        return DotBlocks(tile.m, tile.n, tile.k, warps, 3)


def programs(*pairs: tuple[int, int]) -> int:
    """Programs that cover sizes by blocks: the product of the rounded-up quotients."""
    return prod(ceil_div(size, block) for size, block in pairs)
