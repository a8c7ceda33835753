"""Erases memory and constants that are unused once the nests of a kernel are
expanded."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.ir import Block

from devproc.dialects import plan

UNUSED = (arith.ConstantOp, memref.AllocaOp, plan.ViewOp)


def erase_unused(block: Block) -> None:
    """Erase temporaries that only defined a shape or whose values stay in registers,
    and constants of whole tiles."""
    for op in reversed(list(block.ops)):
        unused = not any(result.uses for result in op.results)
        if isinstance(op, UNUSED) and unused:
            op.detach()
            op.erase()
