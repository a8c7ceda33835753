"""Memory that nothing uses once the nests of a kernel are expanded."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Block

from devproc.dialects import plan


def erase_unused_memory(block: Block) -> None:
    """Temporaries that only named a shape, or whose values stayed in registers."""
    for op in reversed(list(block.ops)):
        unused = not any(result.uses for result in op.results)
        if isinstance(op, memref.AllocaOp | plan.ViewOp) and unused:
            op.detach()
            op.erase()
