"""How the rows of a cache are stored: in narrow floats, or in int8 with scales."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import f32, i8
from xdsl.ir import Operation, OpResult, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.pointwise import CastOp, MulOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, TransposeOp
from devproc.ir.types import is_float, item_size, tensor_of


def stored(value: SSAValue, add: Callable[[Operation], SSAValue]) -> SSAValue:
    """Keys or values as they are stored: before they are cast to a wider float.

    `add` appends an op of one result.
    """
    op = value.owner
    match op:
        case TransposeOp(operand=OpResult(owner=TransposeOp() as before)) if _undoes(
            op, before
        ):
            return stored(before.operand, add)
        case CastOp():
            old, new = (tensor_of(v).element_type for v in (op.operand, value))
            is_wider = is_float(old) and item_size(old) < item_size(new)
            return op.operand if is_wider else value
        case ReshapeOp() | ExpandOp() | TransposeOp():
            inner = stored(op.operand, add)
            if inner is op.operand:
                return value
            return add(type(op).build_op([inner], op.properties))
        case _:
            return value


def scaled_rows(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The numbers in int8 and the scales of the rows of which a value is the product,
    perhaps with other leading dimensions; None if it is something else."""
    size = shape_of(value)[-1]
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.operand
    product = value.owner
    if shape_of(value)[-1] != size or not isinstance(product, MulOp):
        return None
    for wide, scales in (product.operands, reversed(product.operands)):
        cast = wide.owner
        rows = (*shape_of(value)[:-1], 1)
        if (
            isinstance(cast, CastOp)
            and tensor_of(cast.operand).element_type == i8
            and shape_of(cast.operand) == shape_of(value)
            and tensor_of(scales).element_type == f32
            and shape_of(scales) == rows
        ):
            return cast.operand, scales
    return None


def _undoes(op: TransposeOp, before: TransposeOp) -> bool:
    """Whether a transpose undoes the one before it, which made columns of keys."""
    first, second = ints(before.permutation), ints(op.permutation)
    return [first[axis] for axis in second] == list(range(len(first)))


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor."""
    return tensor_of(value).get_shape()
