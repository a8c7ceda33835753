"""Finds the part of a mask that bounds the keys by a position known at run time.

A static cache is read with a mask of its rows up to a position: comparisons of the indices
of keys (`arange`) with a tensor of positions, perhaps within a window, or a causal table
of which the rows at these positions are taken. What else a mask hides stays a mask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import f16
from xdsl.ir import SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.compare import AndOp, LeOp, LtOp, OrOp, WhereOp, XorOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp, CastOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.dialects.nn_canonicalization.folding import constant_array
from devproc.ir.types import dtype_name, is_float, tensor_of
from devproc.ir.weights.table import hash_of
from devproc.transforms.tensor.attention.bands import HIDES, NONE, causal_hashes
from devproc.transforms.tensor.attention.pattern import splat
from devproc.transforms.tensor.attention.positions import (
    Positions,
    Shape,
    Term,
    line,
    positions_seen_as,
    reshaped,
)

LOWEST_F16 = -65504.0


@dataclass(frozen=True)
class Mask:
    """A mask of bools, or of addends, seen with another shape."""

    value: SSAValue
    shape: Shape
    negated: bool = False


@dataclass
class Parts:
    """What the conjuncts of a mask require of key t."""

    high: list[Positions] = field(default_factory=list[Positions])
    """t <= high."""
    low: list[Positions] = field(default_factory=list[Positions])
    """t >= low."""
    masks: list[Mask] = field(default_factory=list["Mask"])
    """The other conjuncts, or addends."""
    is_exact: bool = True
    """Whether what is hidden has a score of minus infinity."""

    def join(self, other: Parts) -> None:
        """Require what another mask requires, too."""
        self.high += other.high
        self.low += other.low
        self.masks += other.masks
        self.is_exact &= other.is_exact


@dataclass(frozen=True)
class BoundedMask:
    """A mask as the bound t <= last, t > last - window, and other masks."""

    last: Positions
    window: int | None
    masks: list[Mask]
    is_exact: bool
    """Whether a query that sees no key has scores of minus infinity alone."""


def bounded(mask: SSAValue, keys: int) -> BoundedMask | None:
    """The bound in a mask of so many keys; None if there is none."""
    shape = tensor_of(mask).get_shape()
    if not shape or shape[-1] != keys or keys < 2:
        return None
    if is_float(tensor_of(mask).element_type):
        parts = _of_addends(mask, keys)
    else:
        parts = _of_bools(mask, keys, False)
    found = next((p for p in parts.high if p.is_dynamic and p.is_plain), None)
    # Which of two finite addends is larger decides what a row sees that is hidden whole.
    if found is None or (parts.masks and not parts.is_exact):
        return None
    if len(parts.high) > 1:
        return None
    sizes = [found.plus(low, -1) for low in parts.low]
    if any(size.terms or size.offset < 0 for size in sizes):
        return None
    window = min((size.offset + 1 for size in sizes), default=None)
    return BoundedMask(found, window, parts.masks, parts.is_exact)


def _other(mask: SSAValue, negated: bool = False) -> Parts:
    return Parts(masks=[Mask(mask, tensor_of(mask).get_shape(), negated)])


def _of_addends(mask: SSAValue, keys: int) -> Parts:
    """The parts of a sum of masks that are added to the scores."""
    op = mask.owner
    found: Parts | None = None
    match op:
        case AddOp():
            found = _of_addends(op.lhs, keys)
            found.join(_of_addends(op.rhs, keys))
        case ReshapeOp() | ExpandOp():
            found = _seen_as(_of_addends(op.operand, keys), op)
        case CastOp() if is_float(tensor_of(op.operand).element_type):
            found = _of_addends(op.operand, keys)
            found = None if found.masks else found
        case WhereOp():
            found = _of_choice(op, keys)
        case GatherOp():
            found = _of_table(op, keys)
        case _:
            pass
    return found or _other(mask)


def _of_choice(op: WhereOp, keys: int) -> Parts | None:
    """where(seen, 0, minus infinity), or where(hidden, minus infinity, 0)."""
    for negated, shown, hidden in ((False, op.lhs, op.rhs), (True, op.rhs, op.lhs)):
        lowest = splat(hidden)
        if splat(shown) == 0.0 and lowest is not None and hides(lowest, op.result):
            found = _of_bools(op.condition, keys, negated)
            found.is_exact = lowest == NONE
            # Bools and addends are not one mask.
            return None if found.masks else found
    return None


def hides(lowest: float, addends: SSAValue) -> bool:
    """Whether an addend hides a key from a query that sees others."""
    # The lowest number of float16 is as good as minus infinity beside scores of float16.
    is_f16 = tensor_of(addends).element_type == f16
    return lowest <= (LOWEST_F16 if is_f16 else HIDES)


def _of_bools(mask: SSAValue, keys: int, negated: bool) -> Parts:
    """The conjuncts of a mask, or of its negation."""
    op = mask.owner
    found: Parts | None = None
    match op:
        case AndOp() | OrOp() if isinstance(op, OrOp) == negated:
            found = _of_bools(op.lhs, keys, negated)
            found.join(_of_bools(op.rhs, keys, negated))
        case XorOp() if splat(op.rhs) == 1:
            found = _of_bools(op.lhs, keys, not negated)
        case ReshapeOp() | ExpandOp():
            found = _seen_as(_of_bools(op.operand, keys, negated), op)
        case LeOp() | LtOp():
            found = _compared(op, negated)
        case GatherOp() if not negated:
            found = _of_table(op, keys)
        case ConstantOp() if splat(mask) == (not negated):
            found = Parts()
        case _:
            pass
    return found or _other(mask, negated)


def _seen_as(parts: Parts, op: ReshapeOp | ExpandOp) -> Parts | None:
    """The parts of a mask with another shape; None if they have no such shape."""
    old, new = (tensor_of(v).get_shape() for v in (op.operand, op.result))
    if old[-1:] != new[-1:]:
        return None
    if isinstance(op, ExpandOp):
        return parts
    made = Parts(is_exact=parts.is_exact)
    for source, target in ((parts.high, made.high), (parts.low, made.low)):
        for found in source:
            moved = positions_seen_as(found, op, True)
            if moved is None:
                return None
            target.append(moved)
    for mask in parts.masks:
        shape = reshaped(mask.shape, old, new)
        if shape is None:
            return None
        made.masks.append(Mask(mask.value, shape, mask.negated))
    return made


def _compared(op: LeOp | LtOp, negated: bool) -> Parts | None:
    """The bound in a comparison of keys with positions; None if there is none."""
    lhs, rhs = line(op.lhs), line(op.rhs)
    if lhs is None or rhs is None or abs(lhs.step - rhs.step) != 1:
        return None
    step = lhs.step - rhs.step
    # step * key <= limit; negated: step * key >= limit + 1
    limit = rhs.rest.plus(lhs.rest, -1).shifted(
        int(negated) - int(isinstance(op, LtOp))
    )
    bound = Positions({}).plus(limit, step)
    is_high = (step == 1) != negated
    return Parts(high=[bound]) if is_high else Parts(low=[bound])


def _of_table(op: GatherOp, keys: int) -> Parts | None:
    """Rows of a causal table: those of the positions."""
    rank = tensor_of(op.operand).get_num_dims()
    if ints(op.axes) != (rank - 2,) or tensor_of(op.result).get_num_dims() != rank:
        return None
    (index,) = op.indices
    shape = tensor_of(index).get_shape()
    if shape[-1] != 1:
        return None
    table = op.operand
    while isinstance(table.owner, ReshapeOp):
        table = table.owner.operand
    rows = tensor_of(op.operand).get_shape()[-2]
    is_exact = _is_causal(table, (rows, keys))
    if is_exact is None:
        return None
    bound = Positions.of(Term(index, shape, rows))
    return Parts(high=[bound], is_exact=is_exact)


def _is_causal(table: SSAValue, sizes: Shape) -> bool | None:
    """Whether a table of which row s hides all keys t > s hides them by minus infinity;
    None for other tables."""
    type_ = tensor_of(table)
    shape, dtype = type_.get_shape(), dtype_name(type_.element_type)
    if prod(shape) != prod(sizes) or shape[-2:] != sizes:
        return None
    array = constant_array(table)
    if isinstance(table.owner, WeightOp):
        hash_ = table.owner.hash.data
    elif array is not None:
        hash_ = hash_of(array, dtype)
    else:
        return None
    found = causal_hashes(shape, dtype, 0) if dtype in ("bool", "float32") else []
    return found.index(hash_) == 0 if hash_ in found else None
