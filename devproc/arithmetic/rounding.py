"""Rounding to integers for targets without an instruction for it (SSE2, Triton).

Exact, signed zeros, infinities and NaN included. LLVM would call the C library per lane.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.ir import SSAValue

from devproc.arithmetic.float_builder import FloatBuilder

WHOLE = {32: 2.0**23, 64: 2.0**52}
"""All larger floats are integers; adding and subtracting it rounds smaller ones."""


def round_even(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """To the nearest, ties to even."""
    whole, size = f.number(WHOLE[f.bits]), f.absolute(x)
    rounded = f.copy_sign(f.sub(f.add(size, whole), whole), x)
    # NaN and infinity are preserved.
    return f.select(f.compare("olt", size, whole), rounded, x)


def _moved(f: FloatBuilder, x: SSAValue, predicate: str, step: float) -> SSAValue:
    """The nearest integer, adjusted by a step if it is on the wrong side of `x`."""
    nearest = round_even(f, x)
    wrong = f.compare(predicate, nearest, x)
    moved = f.add(nearest, f.select(wrong, f.number(step), f.number(0.0)))
    return f.copy_sign(moved, x)


def floor(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Towards -infinity."""
    if math.FloorOp in f.native:
        return f.value(math.FloorOp, (x,))
    return _moved(f, x, "ogt", -1.0)


def ceil(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Towards +infinity."""
    return _moved(f, x, "olt", 1.0)


def trunc(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """Towards zero."""
    if math.TruncOp in f.native:
        return f.value(math.TruncOp, (x,))
    return f.copy_sign(floor(f, f.absolute(x)), x)


def round_away(f: FloatBuilder, x: SSAValue) -> SSAValue:
    """To the nearest, ties away from zero."""
    size = f.absolute(x)
    below = floor(f, size)
    up = f.compare("oge", f.sub(size, below), f.number(0.5))
    rounded = f.add(below, f.select(up, f.number(1.0), f.number(0.0)))
    return f.copy_sign(rounded, x)
