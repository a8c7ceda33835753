"""Loops over the terms of a tile: their trip counts, and copies of their bodies."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.scf import ForOp
from xdsl.ir import SSAValue

from devproc.algorithms.base import Values
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def trip_count(emitter: Emitter, loop: ForOp) -> int | None:
    """The trip count of a loop with step 1; None if it is not constant."""
    known = emitter.known
    lower, upper, end = known.get(loop.lb), known.get(loop.ub), loop.ub.owner
    if known.get(loop.step) != 1:
        return None
    if lower is not None and upper is not None:
        return upper - lower
    if isinstance(end, arith.AddiOp) and end.operands[0] is loop.lb:
        return known.get(end.operands[1])
    return None


def iteration(
    emitter: Emitter, loop: ForOp, index: SSAValue, carried: Values
) -> Values:
    """Emit the body of a loop at an index; returns the yielded values."""
    block = loop.body.block
    values: dict[SSAValue, SSAValue] = {}
    values |= zip(block.args, (index, *carried), strict=True)
    *ops, last = block.ops
    for op in ops:
        emitter.append(op.clone(values))
    return [values.get(value, value) for value in last.operands]
