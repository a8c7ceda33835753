"""Rounding to integers for processors without an instruction for it (SSE2).

Exact, signed zeros, infinities and NaN included. LLVM would call the C library per lane.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.transforms.cpu.loops.lanewise import Lanewise

WHOLE = {32: 2.0**23, 64: 2.0**52}
"""From here on every float is an integer; added and taken off, it rounds a smaller one."""


def round_even(f: Lanewise, x: SSAValue) -> SSAValue:
    """To the nearest, ties to even."""
    whole, size = f.number(WHOLE[f.bits]), f.absolute(x)
    rounded = f.copy_sign(f.sub(f.add(size, whole), whole), x)
    # NaN and infinity stay what they are.
    return f.select(f.compare("olt", size, whole), rounded, x)


def _moved(f: Lanewise, x: SSAValue, predicate: str, step: float) -> SSAValue:
    """The nearest integer, moved by a step where it lies on the wrong side of `x`."""
    nearest = round_even(f, x)
    wrong = f.compare(predicate, nearest, x)
    moved = f.add(nearest, f.select(wrong, f.number(step), f.number(0.0)))
    return f.copy_sign(moved, x)


def floor(f: Lanewise, x: SSAValue) -> SSAValue:
    """Towards -infinity."""
    return _moved(f, x, "ogt", -1.0)


def ceil(f: Lanewise, x: SSAValue) -> SSAValue:
    """Towards +infinity."""
    return _moved(f, x, "olt", 1.0)


def trunc(f: Lanewise, x: SSAValue) -> SSAValue:
    """Towards zero."""
    return f.copy_sign(floor(f, f.absolute(x)), x)


def round_away(f: Lanewise, x: SSAValue) -> SSAValue:
    """To the nearest, ties away from zero."""
    size = f.absolute(x)
    below = floor(f, size)
    up = f.compare("oge", f.sub(size, below), f.number(0.5))
    rounded = f.add(below, f.select(up, f.number(1.0), f.number(0.0)))
    return f.copy_sign(rounded, x)
