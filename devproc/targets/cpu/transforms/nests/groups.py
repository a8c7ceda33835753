"""Groups the ops of a kernel into nests: fills, an anchor and its epilogue."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from devproc.algorithms.base import KernelOps
from devproc.dialects.sched import ScheduledOp
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    is_parallel,
    loop_sizes,
    maps_of,
)
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.transforms.buffers.memory import INSIDE


def touches(op: StructuredOp, value: SSAValue) -> bool:
    """Whether an op reads or writes a memref, in its operands or its body."""
    return value in op.operands or any(
        value in inner.operands for inner in op.body.block.ops
    )


def has_aliases(value: SSAValue, ops: Collection[Operation]) -> bool:
    """Whether a memref is used outside these ops and their bodies: by a view of it, or
    by a nest that is already scheduled."""
    return any(
        use.operation not in ops and use.operation.parent_op() not in ops
        for use in value.uses
    )


def has_views(value: SSAValue) -> bool:
    """Whether a memref is used by other ops than structured ones and their bodies."""
    return any(
        not isinstance(use.operation, StructuredOp)
        and not isinstance(use.operation.parent_op(), StructuredOp)
        for use in value.uses
    )


def nests_of(kernel: KernelOps) -> Iterator[Nest]:
    """The nest around each op of a kernel that has a reduction."""
    ops = kernel.structured
    for position, op in enumerate(ops):
        if not all(is_parallel(op)):
            yield match_group(ops, position)


def match_group(ops: Sequence[StructuredOp], position: int) -> Nest:
    """The nest around the anchor `ops[position]`."""
    anchor = ops[position]
    starts = [start_of(ops, position, output) for output in anchor.outputs]
    epilogue = _epilogue_of(ops, position)
    members = [
        *(fill for fill in starts if fill is not None),
        anchor,
        *([epilogue] if epilogue is not None else []),
    ]
    return Nest(anchor, starts, epilogue, members)


def without_epilogue(nest: Nest) -> Nest:
    """The same anchor with its fills; the epilogue stays a separate op."""
    ops = [op for op in nest.ops if op is not nest.epilogue]
    return Nest(nest.anchor, nest.starts, None, ops)


def start_of(
    ops: Sequence[StructuredOp], position: int, output: SSAValue
) -> FillOp | None:
    """The fill that initialises an accumulator, if no op accesses it in between.

    Accesses by other nests before or after do not matter, so that a nest is matched
    again from its own ops.
    """
    block, before = ops[position].parent, ops[position].prev_op
    if block is None:
        return None
    # The ops in a `sched.nest` were matched before; their memory may have views by now.
    if not isinstance(block.parent_op(), ScheduledOp) and has_views(output):
        return None
    users = {block.find_ancestor_op_in_block(use.operation) for use in output.uses}
    while before is not None and before not in users:
        before = before.prev_op
    if not isinstance(before, FillOp) or before not in ops:
        return None
    return before if before.outputs[0] is output else None


def _epilogue_of(ops: Sequence[StructuredOp], position: int) -> StructuredOp | None:
    """The next op, if it reads the anchor's results element by element.

    These results must not be used again: the epilogue overwrites them, or they are on
    the kernel's stack and not read elsewhere.
    """
    anchor = ops[position]
    behind = position + 1
    # The padding around a result of the epilogue is filled before it.
    while behind < len(ops) and INSIDE in ops[behind].attributes:
        behind += 1
    if behind == len(ops):
        return None
    epilogue = ops[behind]
    if isinstance(epilogue, FillOp) or not all(is_parallel(epilogue)):
        return None
    outer = [d for d, parallel in enumerate(is_parallel(anchor)) if parallel]
    sizes = loop_sizes(anchor)
    if list(loop_sizes(epilogue)) != [sizes[d] for d in outer]:
        return None
    over_anchor = [AffineDimExpr(d) for d in outer]
    results = dict(
        zip(anchor.outputs, maps_of(anchor)[len(anchor.inputs) :], strict=True)
    )
    for operand, map_ in zip(epilogue.operands, maps_of(epilogue), strict=True):
        moved = map_.replace_dims_and_symbols(over_anchor, [], len(sizes), 0)
        if operand in results and results[operand] != moved:
            return None
    if not any(value in epilogue.inputs for value in results):
        return None
    later = ops[behind + 1 :]
    for value in results:
        overwritten = value in epilogue.outputs
        if has_aliases(value, ops) and not overwritten:
            return None
        if not overwritten and (
            isinstance(value, BlockArgument) or any(touches(op, value) for op in later)
        ):
            return None
        if any(value in inner.operands for inner in epilogue.body.block.ops):
            return None
    return epilogue
