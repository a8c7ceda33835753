"""Tensors of positions: sums of run-time values, and lines along the keys of a cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.compare import LtOp, WhereOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, SubOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp
from devproc.dialects.nn_canonicalization.folding import constant_array
from devproc.ir.types import is_float, tensor, tensor_of
from devproc.transforms.tensor.attention_bands import ramp

Shape: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[object, ...]
Add: TypeAlias = Callable[[Operation], SSAValue]
"""Appends an op and returns its result."""


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
            rest = None if inner is None else positions_seen_as(inner.rest, op, True)
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
            found = positions_seen_as(positions(op.operand), op, False)
        case _:
            pass
    return found or Positions.of(Term(value, tensor_of(value).get_shape()))


def positions_seen_as(
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
        shape = reshaped(term.shape, old, new)
        if shape is None:
            return None
        moved = moved.plus(Positions.of(Term(term.value, shape, term.wraps)), factor)
    return moved


def reshaped(shape: Shape, old: Shape, new: Shape) -> Shape | None:
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


def sum_of(found: Positions, add: Add) -> SSAValue:
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
            total = (
                value if factor == 1 else add(SubOp.build_op([_number(0, add), value]))
            )
        else:
            total = add((AddOp if factor == 1 else SubOp).build_op([total, value]))
    assert total is not None
    if found.offset:
        total = add(AddOp.build_op([total, _number(found.offset, add)]))
    return total


def _number(value: int, add: Add) -> SSAValue:
    return add(ConstantOp.of(tensor(i64, ()), [value]))


def _wrapped(value: SSAValue, size: int, add: Add) -> SSAValue:
    """Negative positions, counted from the end."""
    is_negative = add(LtOp.build_op([value, _number(0, add)]))
    moved = add(AddOp.build_op([value, _number(size, add)]))
    return add(WhereOp.build_op([is_negative, moved, value]))
