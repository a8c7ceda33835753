"""Helpers of this stage: patterns on the ops of `@main`, and their placement."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from devproc.backend.installed import memory_of
from devproc.dialects.dev import PlaceAttr
from devproc.ir.devices import HOST
from devproc.ir.text.location import describe_location


def rewrite_main(module: ModuleOp, pattern: RewritePattern) -> None:
    """Apply a pattern once to `@main` and once to each op of its block, in order.

    The walk does not enter regions, loops or ops that the pattern inserts: it visits
    each op of the block once.
    """
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data == "main":
            block = function.body.block
            rewriter = PatternRewriter(function)
            for op in (function, *block.ops):
                if op is function or op.parent is block:
                    pattern.match_and_rewrite(op, rewriter)


def device_of_op(op: Operation) -> str:
    """The device that `place-ops` chose; raises PassFailedException if it did not."""
    place = op.attributes.get("dev.place")
    if not isinstance(place, PlaceAttr):
        raise PassFailedException(
            f"'{op.name}' ({describe_location(op.location)}) has no device: run place-ops"
            " first"
        )
    return place.device.data


def memory_at(op: Operation) -> str:
    """The memory in which an op of `@main` reads and writes its values."""
    return HOST if isinstance(op, ReturnOp) else memory_of(device_of_op(op))


def erase_unused(block: Block) -> None:
    """Erase ops without uses, from the last to the first."""
    for op in reversed(list(block.ops)):
        if op is not block.last_op and all(v.first_use is None for v in op.results):
            block.erase_op(op)
