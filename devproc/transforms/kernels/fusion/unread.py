"""Erases ops whose results have no uses."""

from __future__ import annotations

from xdsl.ir import Block
from xdsl.rewriter import Rewriter


def erase_unread(block: Block) -> None:
    """Erase the ops that have results, all of them unused."""
    for op in reversed(list(block.ops)):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
