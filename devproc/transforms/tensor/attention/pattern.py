"""Matches attention written as separate ops, from its last product to its operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of, ints, normalize_axis
from devproc.dialects.nn.compare import EqOp, WhereOp
from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.elementary import TanhOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, DivOp, MulOp, SqrtOp
from devproc.dialects.nn.reduction import ReduceMaxOp, SoftmaxOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.dialects.nn_canonicalization.folding import constant_array
from devproc.ir.types import is_bool, is_float, item_size, tensor_of

NONE = float("-inf")


@dataclass(frozen=True)
class Part:
    """An operand (..., rows, columns) of the pattern."""

    value: SSAValue
    batch: int = 0
    """Elements of the leading dimensions at its use, if there is a reshape between the
    use and the softmax; else 0."""

    @property
    def fits(self) -> bool:
        """Whether the reshape can be moved across the operand: it is broadcast along
        all leading dimensions, or along none."""
        return not self.batch or self._count in (1, self.batch)

    @property
    def _count(self) -> int:
        return prod(tensor_of(self.value).get_shape()[:-2])

    def aligned(self, leading: tuple[int, ...]) -> Operation | None:
        """The reshape to these leading dimensions; None if none is needed."""
        shape = tensor_of(self.value).get_shape()
        if not self.batch:
            return None
        outer = () if self._count == 1 else leading
        wanted = (*outer, *shape[-2:])
        return None if wanted == shape else ReshapeOp.to(self.value, wanted)


@dataclass
class Weights:
    """A softmax of scores, with the properties of its rows."""

    scores: SSAValue
    readers: int
    """The number of uses of the scores in the pattern."""
    empty: bool
    """Whether rows without any key yield 0."""

    @property
    def leading(self) -> tuple[int, ...]:
        """The dimensions before rows and columns."""
        return tensor_of(self.scores).get_shape()[:-2]


@dataclass
class Scores:
    """The matched chain from a softmax back to the product of queries and keys."""

    query: Part
    columns: Part
    """The keys, transposed."""
    scale: float = 1.0
    softcap: float | None = None
    """c of c tanh(x / c), where x are the scaled products."""
    masks: list[Part] = field(default_factory=list[Part])
    """One bool mask of the keys to include (`excludes`: to exclude), or addends."""
    excludes: bool = False

    @property
    def parts(self) -> list[Part]:
        """All operands."""
        return [self.query, self.columns, *self.masks]


def splat(value: SSAValue) -> float | None:
    """The number of a splat constant, even if reshaped; None for other values."""
    match value.owner:
        case ReshapeOp() | ExpandOp() as op:
            return splat(op.operand)
        case SqrtOp() as op if (number := splat(op.operand)) is not None:
            return float(np.sqrt(number)) if number >= 0 else None
        case ConstantOp():
            array: Any = constant_array(value)
            if array is None:  # bfloat16, which NumPy lacks
                array = np.array(value.owner.value.get_values())
            if not array.size or not (array == array.flat[0]).all():
                return None
            return float(array.flat[0])
        case _:
            return None


def batch_of(op: Operation) -> int:
    """Elements of the leading dimensions before a reshape of only these; else 0."""
    if not isinstance(op, ReshapeOp):
        return 0
    old, new = (tensor_of(v).get_shape() for v in (op.operand, op.result))
    if min(len(old), len(new)) < 2 or old[-2:] != new[-2:]:
        return 0
    return prod(old[:-2])


def read_weights(value: SSAValue) -> Weights | None:
    """Match a softmax over the last axis."""
    op, empty, readers = value.owner, False, 1
    if isinstance(op, WhereOp) and splat(op.lhs) == 0.0:
        # where(max == -inf, 0, softmax)
        found, inner = op.condition.owner, op.rhs.owner
        if not isinstance(found, EqOp) or splat(found.rhs) != NONE:
            return None
        most = found.lhs.owner
        if not isinstance(most, ReduceMaxOp) or not isinstance(inner, SoftmaxOp):
            return None
        last = tensor_of(most.operand).get_num_dims() - 1
        if most.operand is not inner.operand or ints(most.axes) != (last,):
            return None
        if not all(is_single(r) for o in (most, found, inner) for r in o.results):
            return None
        op, empty, readers = inner, True, 2
    if not isinstance(op, SoftmaxOp):
        return None
    rank = tensor_of(op.operand).get_num_dims()
    if rank < 2 or normalize_axis(int_of(op.axis), rank) != rank - 1:
        return None
    return Weights(op.operand, readers, empty)


def is_single(value: SSAValue) -> bool:
    """Whether the value has a single use."""
    return value.uses.get_length() == 1


def read_scores(weights: Weights, is_half: bool) -> Scores | None:
    """Match the chain that computes the scores, if its values have no other uses.

    From the softmax back: masks, then factors, perhaps those around a hyperbolic tangent,
    then the product. Reassociating sums of masks is safe: the addend that hides a key is so
    large that it absorbs all others. With `is_half`, casts are dropped: the scores of factors
    in half precision are not rounded.
    """
    value, readers = weights.scores, weights.readers
    batch, scale, excludes = 0, 1.0, False
    softcap: float | None = None
    masks: list[Part] = []
    while value.uses.get_length() == readers:
        readers, op = 1, value.owner
        match op:
            case MatmulOp():
                query, columns = (Part(v, batch) for v in op.operands)
                scale *= softcap or 1.0
                return Scores(query, columns, scale, softcap, masks, excludes)
            case TanhOp() if softcap is None and scale > 0:
                softcap, scale, value = scale, 1.0, op.operand
            case CastOp() if is_half and is_between_halves(op):
                value = op.operand
            case AddOp() if is_first(scale, softcap) and not _hides(masks):
                value, other = op.lhs, op.rhs
                if not _makes_scores(value):
                    value, other = other, value
                masks.append(Part(other, batch))
            case WhereOp() if is_first(scale, softcap) and not masks:
                if NONE not in (splat(op.lhs), splat(op.rhs)):
                    return None
                excludes = splat(op.lhs) == NONE
                value = op.rhs if excludes else op.lhs
                masks.append(Part(op.condition, batch))
            case MulOp() if (factor := splat(op.rhs)) is not None:
                scale, value = scale * factor, op.lhs
            case MulOp() if (factor := splat(op.lhs)) is not None:
                scale, value = scale * factor, op.rhs
            case DivOp() if factor := splat(op.rhs):
                scale, value = scale / factor, op.lhs
            case ReshapeOp() if count := batch_of(op):
                batch, value = count, op.operand
                continue
            case _:
                return None
        if tensor_of(value).get_shape() != tensor_of(op.results[0]).get_shape():
            return None
    return None


def is_first(scale: float, softcap: float | None) -> bool:
    """Whether nothing follows on a mask but the softmax."""
    return scale == 1.0 and softcap is None


def is_between_halves(op: CastOp) -> bool:
    """Whether a cast widens half precision to float32, or narrows it again."""
    sizes = sorted(
        item_size(tensor_of(v).element_type) for v in (op.operand, op.result)
    )
    return sizes == [2, 4] and is_float(tensor_of(op.operand).element_type)


def _hides(masks: list[Part]) -> bool:
    """Whether a mask is a bool, which cannot be combined with addends."""
    return any(is_bool(tensor_of(mask.value).element_type) for mask in masks)


def _makes_scores(value: SSAValue) -> bool:
    """Whether an operand of a sum leads to a product without other uses."""
    op = value.owner
    if not is_single(value) or isinstance(op, MatmulOp):
        return is_single(value)
    if not isinstance(op, AddOp | MulOp | DivOp | TanhOp | CastOp | ReshapeOp):
        return False
    return any(map(_makes_scores, op.operands))
