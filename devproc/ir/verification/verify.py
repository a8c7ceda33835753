"""Verification beyond xDSL's: dominance, device order, the dialects of a stage."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from devproc.ir.functions import functions_of
from devproc.ir.program.repeat import verify_repetition
from devproc.ir.program.state import verify_states
from devproc.ir.text.location import describe_location
from devproc.ir.verification.verify_ops import VerifiedForms

PREPARE = "prepare"
"""Name of the function that computes constants from weights at compile time."""


def verify_module(module: ModuleOp, forms: VerifiedForms | None = None) -> None:
    """xDSL's verification, SSA dominance, states and their repetition, updates, and the order
    between devices.

    `forms`: those that earlier verifications of the same compilation have accepted. Raises
    VerifyException.
    """
    # Not at module level: the dialects themselves use the helpers of `devproc.ir`.
    from devproc.ir.verification.device_order import verify_device_order
    from devproc.ir.verification.updates import verify_updates

    (VerifiedForms() if forms is None else forms).verify(module)
    verify_dominance(module)
    for function in functions_of(module):
        verify_states(function)
    verify_repetition(module)
    verify_device_order(module)
    verify_updates(module)


def verify_dominance(op: Operation) -> None:
    """Checks that operands are defined before their use, in the same or an enclosing block.

    Enclosing blocks end at an op that is isolated from above. xDSL's `verify` does not check
    the order, and `VerifiedForms` leaves the isolation of functions to this walk. In a
    region of several blocks, a value of another block is accepted if that block dominates
    the block of the user.
    """
    _verify_ops((op,), set())


def _verify_ops(ops: Iterable[Operation], visible: set[int]) -> list[int]:
    """Adds the results to `visible`, and returns their addresses: integers hash fast."""
    defined: list[int] = []
    for op in ops:
        # The private field: the accessor `operands` takes most of the time.
        operands = op._operands  # pyright: ignore[reportPrivateUsage]
        if not visible.issuperset(map(id, operands)):
            _fail(op, [id(operand) in visible for operand in operands].index(False))
        for region in op.regions:
            isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
            _verify_region(region, set[int]() if isolated else visible)
        results = [*map(id, op.results)]
        visible.update(results)
        defined += results
    return defined


def _fail(op: Operation, index: int) -> NoReturn:
    error = VerifyException(
        f"operand {index} of '{op.name}' ({describe_location(op.location)})"
        " is used before its definition: a value must be defined by an"
        " earlier op of the same block or of a block around it, within its function"
    )
    op.emit_error(str(error), error)


def _verify_region(region: Region, visible: set[int]) -> None:
    # One set, to which visible values are added and from which they are removed: a copy for
    # each region would make the verification of a long program quadratic.
    first = region.first_block
    if first is None:
        return
    if first.next_block is None:
        arguments = [*map(id, first.args)]
        visible.update(arguments)
        defined = _verify_ops(first.ops, visible)
        visible.difference_update(arguments, defined)
        return
    blocks = list(region.blocks)
    dominators = _dominators(blocks)
    values = {block: _defined_in(block) for block in blocks}
    for block in blocks:
        for dominator in dominators[block] - {block}:
            visible.update(values[dominator])
        visible.update(map(id, block.args))
        _verify_ops(block.ops, visible)
        for seen in dominators[block]:
            visible.difference_update(values[seen])


def _defined_in(block: Block) -> list[int]:
    """The addresses of the values of a block."""
    return [*map(id, block.args), *(id(r) for op in block.ops for r in op.results)]


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


def verify_legal_dialects(
    module: ModuleOp,
    legal: Iterable[str],
    stage: str,
    in_kernels: Mapping[str, Iterable[str]] | None = None,
) -> None:
    """Checks that only ops of the `legal` dialects, or named in `legal`, remain.

    `in_kernels`: device -> what is legal in its kernels instead. The bodies of `@prepare`
    and of host functions, which PyTorch evaluates, are not checked.

    Raises VerifyException that names the stage, and each illegal op once.
    """
    from devproc.ir.program.kernel_modules import device_of_code

    of_devices = in_kernels or {}
    parts: dict[str | None, list[Operation]] = {}
    for op in module.body.block.ops:
        device = device_of_code(op)
        parts.setdefault(device if device in of_devices else None, []).append(op)
    for device, ops in parts.items():
        allowed = {*(legal if device is None else of_devices[device]), "builtin"}
        foreign = _foreign_ops(ops, allowed)
        if foreign:
            listed = ", ".join(f"'{name}' ({where})" for name, where in foreign.items())
            where = (
                "the module holds" if device is None else f"code of '{device}' holds"
            )
            raise VerifyException(
                f"after stage '{stage}' only the dialects {', '.join(sorted(allowed))} "
                f"may remain, but {where} {listed}"
            )


def _foreign_ops(ops: Iterable[Operation], allowed: Container[str]) -> dict[str, str]:
    """Name -> location of an op that is not allowed."""
    from devproc.dialects.dev import is_region_function

    foreign: dict[str, str] = {}
    seen: set[str] = set()

    def check(op: Operation) -> None:
        dialect = op.name.split(".", 1)[0]
        known = dialect in allowed or op.name in allowed
        if not known and not isinstance(op, UnrealizedConversionCastOp):
            foreign.setdefault(op.name, describe_location(op.location))

    def visit(op: Operation) -> None:
        # The result depends on the name alone.
        if op.name not in seen:
            seen.add(op.name)
            check(op)
        for region in op.regions:
            for block in region.blocks:
                for child in block.ops:
                    visit(child)

    for op in ops:
        if isinstance(op, FuncOp) and (
            op.sym_name.data == PREPARE or is_region_function(op)
        ):
            check(op)
        else:
            visit(op)
    return foreign
