"""The tiles of a product: which are tried, and which is the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from devproc_npu.estimate import estimate, loads
from devproc_npu.isa import Type
from devproc_npu.machine import ROWS, Machine
from devproc_npu.shapes import Convolution, Tiling, fits, parts


def pieces(size: int) -> list[int]:
    """The sizes of parts worth trying: whole pieces of the array, or all; of those that
    give the same number of parts, the smallest."""
    whole = parts(size, ROWS)
    found = {parts(whole, count) * ROWS for count in range(1, whole + 1)}
    return sorted(min(n, size) for n in found)


def candidates(c: Convolution) -> Iterator[Tiling]:
    """Whole lines, or parts of a line; whole pieces of the array's size."""
    boxes = {(lines, c.width) for lines in range(1, c.lines + 1)}
    if c.lines == 1 or c.width > 512:
        boxes |= {(1, w) for w in range(ROWS, min(c.width, 513), ROWS)}
    # Two blocks of more rows than this never fit the accumulator.
    boxes = {(lines, w) for lines, w in boxes if lines * w <= 512}
    columns = [n for n in pieces(c.columns) if n <= 512]
    channels = pieces(c.channels)
    for lines, width in sorted(boxes):
        for n in columns:
            for k in channels:
                for keeps in ("none", "left", "right"):
                    yield Tiling(lines, width, n, k, keeps)


@cache
def best_tiling(c: Convolution, machine: Machine, type: Type) -> Tiling:
    """The tiling with the least estimate; ties go to the first.

    Raises ValueError where none fits.
    """
    fitting = [t for t in candidates(c) if fits(c, t, machine, type)]
    if not fitting:
        raise ValueError(f"no tile of {c} fits the scratchpad")
    best = min(fitting, key=lambda t: estimate(c, t, machine, type))
    left, _, out = loads(c, best, machine, type)
    # With shadow weights a short tile is computed before the next one is there.
    is_early = left > out and not machine.shadow
    return replace(best, short="first" if is_early else "last")
