"""Composes indexed loads: a body that loads from a gathered tensor reads its sources.

The slices of a concatenation that are concatenated again (a roll, reflection padding)
then take one loop over the result instead of one copy per step.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.common_subexpression_elimination import cse

from devproc.dialects.dev import device_of
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    SOURCES,
    Generic,
    is_parallel,
    maps_of,
    sources_attribute,
    sources_of,
    writes_in_order,
    yields_of,
)
from devproc.ir.text.location import copy_location
from devproc.transforms.kernels.fusion.groups import is_permutation
from devproc.transforms.kernels.fusion.unread import erase_unread
from devproc.transforms.kernels.fusion.viewed_picks import pick_behind_view

MOST_PICKS = 32
"""Indexed loads of one body: with more, its selects cost more than a copy."""

MOST_STEPS = 8
"""Ops of a body on a GPU that another one computes again for each of its elements."""

MOST_STEPS_ON_HOST = 5
"""The same on the CPU: a product with a constant, such as the sign of a rotated half; in
bfloat16, both are widened, and the product is rounded."""


def pick_through(block: Block) -> None:
    """Let bodies load from the sources of their gathered operands."""
    for op in list(block.ops):
        if isinstance(op, Generic) and all(is_parallel(op)):
            _pick_through(pick_behind_view(op, _can_take))


def _pick_through(op: Generic) -> None:
    body, is_changed = op.body.block, False
    while (pick := next(filter(_can_inline, body.ops), None)) is not None:
        assert isinstance(pick, tensor.ExtractOp)
        producer = pick.tensor.owner
        assert isinstance(producer, Generic)
        _inline(producer, pick)
        names = [*sources_of(producer), *sources_of(op)]
        op.attributes[SOURCES] = sources_attribute(names)
        if not producer.results[0].uses:
            Rewriter.erase_op(producer)
        is_changed = True
    if is_changed:
        cse(body)
        _choose_places(body)
        erase_unread(body)


def _can_inline(pick: Operation) -> bool:
    """Whether an op is an indexed load from a gather that only bodies read."""
    if not isinstance(pick, tensor.ExtractOp):
        return False
    producer, body = pick.tensor.owner, pick.parent
    assert body is not None
    return (
        isinstance(producer, Generic)
        and _only_picks(producer)
        and all(_is_picked_from(use.operation) for use in pick.tensor.uses)
        and _count_picks(body) + _count_picks(producer.body.block) <= MOST_PICKS
    )


def _can_take(gather: Generic) -> bool:
    """Whether a body without indexed loads can take in a gather."""
    return _only_picks(gather) and _count_picks(gather.body.block) < MOST_PICKS


def _is_picked_from(user: Operation) -> bool:
    """Whether a use is an indexed load that can read the source instead."""
    around = user.parent_op()
    return (
        isinstance(user, tensor.ExtractOp)
        and isinstance(around, Generic)
        and all(is_parallel(around))
    )


def _only_picks(op: Generic) -> bool:
    """Whether an op only moves elements, by indices computed from its loops, where the
    innermost index depends on no loop but the innermost one.

    It may also compute a little from them.
    """
    if len(op.results) != 1 or not all(is_parallel(op)):
        return False
    if not writes_in_order(op):
        return False
    *read, written = maps_of(op)
    last = written.num_dims - 1
    if any(m.results and not m.results[-1].used_dims() <= {last} for m in read):
        return False
    body = list(op.body.block.ops)[:-1]
    steps = [inner for inner in body if not _is_move(inner, last)]
    return not steps or _computes_again(op, steps)


def _computes_again(op: Generic, steps: Sequence[Operation]) -> bool:
    """Whether what reads the elements of an op may compute them, in these steps: they are
    few and cheap, and the op is no part of the kernels that make its operands, which it
    reads at other indices."""
    on_host = device_of(op.results[0].type) in (HOST, None)
    return (
        len(steps) <= (MOST_STEPS_ON_HOST if on_host else MOST_STEPS)
        and all(step.dialect_name() == arith.Arith.name for step in steps)
        and not any(
            isinstance(value.owner, Generic) and is_permutation(map_)
            for value, map_ in zip(op.inputs, maps_of(op), strict=False)
        )
    )


def _is_move(op: Operation, last: int) -> bool:
    if isinstance(op, tensor.ExtractOp):
        innermost = op.indices[-1] if op.indices else None
        return innermost is None or not _needs_other_loop(innermost, last)
    if isinstance(op, IndexOp | arith.SelectOp):
        return True
    return op.dialect_name() == arith.Arith.name and all(
        isinstance(value.type, IndexType) or value.type == i1
        for value in (*op.operands, *op.results)
    )


def _needs_other_loop(index: SSAValue, last: int) -> bool:
    """Whether an index is computed from another loop than the last one."""
    owner = index.owner
    if isinstance(owner, Block):
        return True
    if isinstance(owner, IndexOp):
        return owner.dim.value.data != last
    return any(_needs_other_loop(operand, last) for operand in owner.operands)


def _count_picks(body: Block) -> int:
    return sum(isinstance(op, tensor.ExtractOp) for op in body.ops)


class _Body:
    """Appends ops before one op of a body."""

    def __init__(self, here: Operation):
        self.here = here

    def add(self, op: Operation) -> SSAValue:
        """Insert an op; returns its result."""
        copy_location(self.here, op)
        Rewriter.insert_op(op, InsertPoint.before(self.here))
        return op.results[0]

    def place(self, expr: AffineExpr, loops: Sequence[SSAValue]) -> SSAValue:
        """The value of an index expression for these loop indices."""
        if isinstance(expr, AffineDimExpr):
            return loops[expr.position]
        if isinstance(expr, AffineConstantExpr):
            number = IntegerAttr(expr.value, IndexType())
            return self.add(arith.ConstantOp(number))
        assert isinstance(expr, AffineBinaryOpExpr)
        left, right = self.place(expr.lhs, loops), self.place(expr.rhs, loops)
        is_sum = expr.kind is AffineBinaryOpKind.Add
        return self.add((arith.AddiOp if is_sum else arith.MuliOp)(left, right))


def _inline(producer: Generic, pick: tensor.ExtractOp) -> None:
    """Replace an indexed load from a result with the body that computed it."""
    body, loops = _Body(pick), list(pick.indices)
    local: dict[SSAValue, SSAValue] = {}
    block = producer.body.block
    for value, map_, argument in zip(
        producer.inputs, maps_of(producer), block.args, strict=False
    ):
        if argument.uses:
            indices = [body.place(expr, loops) for expr in map_.results]
            element = argument.type
            local[argument] = body.add(tensor.ExtractOp(value, indices, element))
    for inner in list(block.ops)[:-1]:
        if isinstance(inner, IndexOp):
            local[inner.result] = loops[inner.dim.value.data]
            continue
        local[inner.results[0]] = body.add(inner.clone(dict(local)))
    pick.result.replace_all_uses_with(local[yields_of(producer)[0]])
    Rewriter.erase_op(pick)


def _choose_places(block: Block) -> None:
    """Turn a select of two elements of one tensor into a select of their indices."""
    for op in list(block.ops):
        if not isinstance(op, arith.SelectOp):
            continue
        first, second = op.lhs.owner, op.rhs.owner
        if not isinstance(first, tensor.ExtractOp):
            continue
        if not isinstance(second, tensor.ExtractOp) or first.tensor != second.tensor:
            continue
        body = _Body(op)
        indices = [
            a if a is b else body.add(arith.SelectOp(op.cond, a, b))
            for a, b in zip(first.indices, second.indices, strict=True)
        ]
        element: Attribute = op.result.type
        chosen = body.add(tensor.ExtractOp(first.tensor, indices, element))
        op.result.replace_all_uses_with(chosen)
        Rewriter.erase_op(op)
