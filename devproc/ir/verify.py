"""Verification beyond xDSL's: dominance, device order, the dialects of a stage."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.ir.location import describe_location

PREPARE = "prepare"
"""Name of the function that computes constants from weights, once, at compile time."""


def verify_module(module: ModuleOp) -> None:
    """xDSL's verification, SSA dominance, and the order between devices.

    Raises VerifyException.
    """
    # Not at module level: the dialects themselves use the helpers of `devproc.ir`.
    from devproc.ir.device_order import verify_device_order

    module.verify()
    verify_dominance(module)
    verify_device_order(module)


def verify_dominance(op: Operation) -> None:
    """Every operand is defined before its use, in its own block or around it.

    xDSL's `verify` does not check this. Single-block regions are checked by order;
    in a region of several blocks, a value of another block is accepted when that block
    dominates the user's.
    """
    _verify_ops((op,), set())


def _verify_ops(ops: Iterable[Operation], visible: set[SSAValue]) -> None:
    for op in ops:
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                raise VerifyException(
                    f"operand {index} of '{op.name}' ({describe_location(op.location)})"
                    " is used before its definition: a value must be defined by an"
                    " earlier op of the same block or of a block around it"
                )
        for region in op.regions:
            _verify_region(region, visible)
        visible.update(op.results)


def _verify_region(region: Region, visible: set[SSAValue]) -> None:
    blocks = list(region.blocks)
    if not blocks:
        return
    dominators = _dominators(blocks) if len(blocks) > 1 else {blocks[0]: {blocks[0]}}
    for block in blocks:
        inside = visible.copy() if len(blocks) > 1 else set(visible)
        for dominator in dominators[block] - {block}:
            inside.update(dominator.args)
            for op in dominator.ops:
                inside.update(op.results)
        inside.update(block.args)
        _verify_ops(block.ops, inside)


def _dominators(blocks: list[Block]) -> dict[Block, set[Block]]:
    """Dominator sets by the iterative data-flow algorithm (Allen and Cocke, 1972)."""
    predecessors: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        if block.last_op is not None:
            for successor in block.last_op.successors:
                predecessors[successor].append(block)
    entry, everything = blocks[0], set(blocks)
    dominators = {block: {entry} if block is entry else everything for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in blocks[1:]:
            sets = [dominators[p] for p in predecessors[block]]
            new = set[Block].intersection(*sets) | {block} if sets else {block}
            if new != dominators[block]:
                dominators[block], changed = new, True
    return dominators


def verify_legal_dialects(module: ModuleOp, legal: Iterable[str], stage: str) -> None:
    """Only ops of the `legal` dialects remain; `nn` is always legal in `@prepare`.

    Raises VerifyException that names each foreign op once and the stage.
    """
    allowed = {*legal, "builtin"}
    foreign: dict[str, str] = {}

    def visit(op: Operation) -> None:
        dialect = op.name.split(".", 1)[0]
        if dialect not in allowed and not isinstance(op, UnrealizedConversionCastOp):
            foreign.setdefault(op.name, describe_location(op.location))
        if isinstance(op, FuncOp) and op.sym_name.data == PREPARE:
            return
        for region in op.regions:
            for block in region.blocks:
                for child in block.ops:
                    visit(child)

    visit(module)
    if foreign:
        listed = ", ".join(f"'{name}' ({where})" for name, where in foreign.items())
        raise VerifyException(
            f"after stage '{stage}' only the dialects {', '.join(sorted(allowed))} may"
            f" remain, but the module holds {listed}"
        )
