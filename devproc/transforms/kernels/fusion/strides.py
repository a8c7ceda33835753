"""Accesses as offsets into a contiguous tensor, linear in the loops that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)


@dataclass(frozen=True)
class Offset:
    """constant + the sum of coefficient * loop."""

    terms: Mapping[int, int]
    """Loop -> its coefficient, not 0."""
    constant: int = 0

    def plus(self, other: Offset, factor: int = 1) -> Offset:
        """self + factor * other."""
        terms = dict(self.terms)
        for loop, coefficient in other.terms.items():
            terms[loop] = terms.get(loop, 0) + factor * coefficient
        kept = {loop: c for loop, c in terms.items() if c}
        return Offset(kept, self.constant + factor * other.constant)

    def times(self, other: Offset) -> Offset | None:
        """The product with a constant; None if neither is one."""
        factor, of = (other, self) if not other.terms else (self, other)
        return None if factor.terms else Offset({}).plus(of, factor.constant)


@dataclass(frozen=True)
class Place:
    """A shape of a contiguous tensor, each index of which takes one loop at most."""

    shape: tuple[int, ...]
    indices: tuple[AffineExpr, ...]
    is_whole: bool
    """Whether the loops walk all of the tensor."""


def offset_of(expr: AffineExpr) -> Offset | None:
    """An index that is linear in the loops; None for others."""
    match expr:
        case AffineConstantExpr():
            return Offset({}, expr.value)
        case AffineDimExpr():
            return Offset({expr.position: 1})
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add | AffineBinaryOpKind.Mul):
            lhs, rhs = offset_of(expr.lhs), offset_of(expr.rhs)
            if lhs is None or rhs is None:
                return None
            if expr.kind is AffineBinaryOpKind.Add:
                return lhs.plus(rhs)
            return lhs.times(rhs)
        case _:
            return None


def flattened(
    indices: Sequence[Offset], shape: Sequence[int], sizes: Sequence[int]
) -> Offset:
    """The offset of these indices; loops of one trip have no terms."""
    total = Offset({})
    for axis, index in enumerate(indices):
        total = total.plus(index, prod(shape[axis + 1 :]))
    moving = {loop: c for loop, c in total.terms.items() if sizes[loop] > 1}
    return Offset(moving, total.constant)


def indices_of(
    offset: Offset, shape: Sequence[int], sizes: Sequence[int]
) -> list[Offset] | None:
    """The indices of an offset, if none of them carries over into another."""
    terms, constant = dict(offset.terms), offset.constant
    found: list[Offset] = []
    for axis, size in enumerate(shape):
        stride = prod(shape[axis + 1 :])
        mine = {loop: c // stride for loop, c in terms.items() if c >= stride}
        if size == 1:
            mine = {}
        if any(terms[loop] % stride for loop in mine):
            return None
        terms = {loop: c for loop, c in terms.items() if loop not in mine}
        first, constant = divmod(constant, stride)
        if first + sum(c * (sizes[loop] - 1) for loop, c in mine.items()) >= size:
            return None
        found.append(Offset(mine, first))
    return (
        None
        if terms or constant or min(offset.terms.values(), default=1) < 0
        else found
    )


def place_of(offset: Offset, count: int, sizes: Sequence[int]) -> Place | None:
    """The shape of `count` elements in which loops have indices of their own.

    Between the loops there may be dimensions whose index is constant.
    """
    shape, indices, rest, is_whole = list[int](), list[AffineExpr](), count, True
    constant = offset.constant
    for loop, stride in sorted(offset.terms.items(), key=lambda term: -term[1]):
        if stride < 1 or rest % stride:
            return None
        size, (first, constant) = rest // stride, divmod(constant, stride)
        if first + sizes[loop] > size:
            return None
        is_whole = is_whole and size == sizes[loop]
        shape.append(size)
        dim = AffineExpr.dimension(loop)
        indices.append(dim + first if first else dim)
        rest = stride
    if rest > 1 or not shape:
        shape.append(rest)
        indices.append(AffineExpr.constant(constant))
        is_whole = is_whole and rest == 1
    return Place(tuple(shape), tuple(indices), is_whole)


def offsets_of(map_: AffineMap) -> list[Offset] | None:
    """The indices of an access, if all are linear."""
    found = [offset_of(expr) for expr in map_.results]
    return None if None in found else [o for o in found if o is not None]


def composed(inner: Sequence[Offset], loops: Sequence[Offset]) -> list[Offset]:
    """Indices in terms of other loops, of which each loop is an offset."""
    found: list[Offset] = []
    for index in inner:
        total = Offset({}, index.constant)
        for loop, coefficient in index.terms.items():
            total = total.plus(loops[loop], coefficient)
        found.append(total)
    return found
