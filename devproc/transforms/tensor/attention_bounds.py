"""Finds the part of a mask that bounds the keys by a position known at run time.

A static cache is read with a mask of its rows up to a position: comparisons of the indices
of keys (`arange`) with a tensor of positions, perhaps within a window, or a causal table
of which the rows at these positions are taken. What else a mask hides stays a mask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.compare import AndOp, LeOp, LtOp, OrOp, WhereOp, XorOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, SubOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.dialects.nn_canonicalization.folding import constant_array
from devproc.ir.types import dtype_name, is_float, tensor, tensor_of
from devproc.ir.weights.table import hash_of
from devproc.transforms.tensor.attention_bands import (
    HIDES,
    NONE,
    causal_hashes,
    ramp,
)
from devproc.transforms.tensor.attention_pattern import splat

Shape: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Term:
    """A tensor of positions, seen with another shape."""

    value: SSAValue
    shape: Shape
    wraps: int = 0
    """If not 0, negative positions count from this number."""

    @property
    def key(self) -> Key:
        """Equal for terms of equal values."""
        array = constant_array(self.value)
        root = self.value if array is None else (array.tobytes(), array.dtype)
        return root, self.shape, self.wraps


@dataclass(frozen=True)
class Positions:
    """A sum of terms, constant along the keys: factor * term for each, and a number."""

    terms: dict[Key, tuple[int, Term]]
    offset: int = 0

    @staticmethod
    def of(term: Term) -> Positions:
        """The positions that are one term."""
        array = constant_array(term.value)
        if array is not None and array.size and (array == array.flat[0]).all():
            return Positions({}, int(array.flat[0]))
        return Positions({term.key: (1, term)})

    def plus(self, other: Positions, factor: int = 1) -> Positions:
        """The sum, with the other multiplied by a factor."""
        terms = dict(self.terms)
        for key, (count, term) in other.terms.items():
            total = terms.get(key, (0, term))[0] + factor * count
            terms[key] = (total, term)
        terms = {key: found for key, found in terms.items() if found[0]}
        return Positions(terms, self.offset + factor * other.offset)

    def shifted(self, offset: int) -> Positions:
        """The positions with a number added."""
        return Positions(self.terms, self.offset + offset)

    @property
    def is_dynamic(self) -> bool:
        """Whether a position is known only at run time."""
        terms = [term for _, term in self.terms.values()]
        return any(not isinstance(t.value.owner, ConstantOp | WeightOp) for t in terms)

    @property
    def is_plain(self) -> bool:
        """Whether it is a sum of terms and differences."""
        return all(abs(factor) == 1 for factor, _ in self.terms.values())


@dataclass(frozen=True)
class Line:
    """`step` * key + positions, along the keys."""

    step: int
    rest: Positions


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
        if splat(shown) == 0.0 and lowest is not None and lowest <= HIDES:
            found = _of_bools(op.condition, keys, negated)
            found.is_exact = lowest == NONE
            # Bools and addends are not one mask.
            return None if found.masks else found
    return None


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
            moved = _positions_seen_as(found, op, True)
            if moved is None:
                return None
            target.append(moved)
    for mask in parts.masks:
        shape = _reshaped(mask.shape, old, new)
        if shape is None:
            return None
        made.masks.append(Mask(mask.value, shape, mask.negated))
    return made


def _reshaped(shape: Shape, old: Shape, new: Shape) -> Shape | None:
    """The shape of a value that broadcasts to `old`, so that it broadcasts to `new`."""
    if prod(shape) == 1:
        return (1,) * len(new)
    if prod(shape) == prod(old):
        return new
    # Dimensions of size 1 are added or dropped.
    kept = [size for size in old if size != 1]
    if kept != [size for size in new if size != 1]:
        return None
    full = (1,) * (len(old) - len(shape)) + shape
    sizes = iter(size for size, whole in zip(full, old, strict=True) if whole != 1)
    return tuple(next(sizes) if whole != 1 else 1 for whole in new)


def _compared(op: LeOp | LtOp, negated: bool) -> Parts | None:
    """The bound in a comparison of keys with positions; None if there is none."""
    lhs, rhs = line(op.lhs), line(op.rhs)
    if lhs is None or rhs is None or abs(lhs.step - rhs.step) != 1:
        return None
    step = lhs.step - rhs.step
    # step * key <= limit; negated: step * key >= limit + 1
    limit = rhs.rest.plus(lhs.rest, -1).shifted(int(negated) - int(isinstance(op, LtOp)))
    bound = Positions({}).plus(limit, step)
    is_high = (step == 1) != negated
    return Parts(high=[bound]) if is_high else Parts(low=[bound])


def line(value: SSAValue) -> Line | None:
    """What a tensor of integers is along its last dimension."""
    shape, op = tensor_of(value).get_shape(), value.owner
    if is_float(tensor_of(value).element_type):
        return None
    if not shape or shape[-1] == 1:
        return Line(0, positions(value))
    match op:
        case AddOp() | SubOp():
            lhs, rhs = line(op.lhs), line(op.rhs)
            if lhs is None or rhs is None:
                return None
            sign = 1 if isinstance(op, AddOp) else -1
            return Line(lhs.step + sign * rhs.step, lhs.rest.plus(rhs.rest, sign))
        case ReshapeOp() | ExpandOp():
            old = tensor_of(op.operand).get_shape()
            inner = line(op.operand) if old[-1:] == shape[-1:] else None
            rest = None if inner is None else _positions_seen_as(inner.rest, op, True)
            return None if inner is None or rest is None else Line(inner.step, rest)
        case _:
            pass
    found = ramp(value)
    if found is None or any(found.steps[:-1]):
        return None
    return Line(found.steps[-1], Positions({}, found.offset))


def positions(value: SSAValue) -> Positions:
    """A tensor of integers as a sum of terms."""
    op, found = value.owner, None
    match op:
        case AddOp() | SubOp():
            sign = 1 if isinstance(op, AddOp) else -1
            return positions(op.lhs).plus(positions(op.rhs), sign)
        case CastOp() if tensor_of(op.operand).element_type in (i32, i64):
            return positions(op.operand)
        case ReshapeOp() | ExpandOp():
            found = _positions_seen_as(positions(op.operand), op, False)
        case _:
            pass
    return found or Positions.of(Term(value, tensor_of(value).get_shape()))


def _positions_seen_as(
    found: Positions, op: ReshapeOp | ExpandOp, along_keys: bool
) -> Positions | None:
    """Positions with another shape, of which the keys may be the last dimension; None if
    they have no such shape."""
    if isinstance(op, ExpandOp):
        return found
    old, new = (tensor_of(v).get_shape() for v in (op.operand, op.result))
    if along_keys:
        old, new = (*old[:-1], 1), (*new[:-1], 1)
    moved = Positions({}, found.offset)
    for factor, term in found.terms.values():
        shape = _reshaped(term.shape, old, new)
        if shape is None:
            return None
        moved = moved.plus(Positions.of(Term(term.value, shape, term.wraps)), factor)
    return moved


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


def sum_of(found: Positions, add: Callable[[Operation], SSAValue]) -> SSAValue:
    """The positions as a tensor of int64, without a dimension for the keys."""
    total: SSAValue | None = None
    by_sign = sorted(found.terms.values(), key=lambda pair: -pair[0])
    for factor, term in by_sign:
        value = term.value
        if tensor_of(value).element_type != i64:
            value = add(CastOp.to(value, i64))
        shape = term.shape[:-1]
        if shape != tensor_of(value).get_shape():
            value = add(ReshapeOp.to(value, shape))
        if term.wraps:
            value = _wrapped(value, term.wraps, add)
        if total is None:
            total = value if factor == 1 else add(SubOp.build_op([_number(0, add), value]))
        else:
            total = add((AddOp if factor == 1 else SubOp).build_op([total, value]))
    assert total is not None
    if found.offset:
        total = add(AddOp.build_op([total, _number(found.offset, add)]))
    return total


def _number(value: int, add: Callable[[Operation], SSAValue]) -> SSAValue:
    return add(ConstantOp.of(tensor(i64, ()), [value]))


def _wrapped(
    value: SSAValue, size: int, add: Callable[[Operation], SSAValue]
) -> SSAValue:
    """Negative positions, counted from the end."""
    is_negative = add(LtOp.build_op([value, _number(0, add)]))
    moved = add(AddOp.build_op([value, _number(size, add)]))
    return add(WhereOp.build_op([is_negative, moved, value]))
