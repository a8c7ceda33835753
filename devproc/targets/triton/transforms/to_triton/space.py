"""Maps the position of a program in an iteration space to indices and addresses.

The dimensions of a linalg op are traversed in groups (`Axis`): a joint linear index
covers several dimensions, whose own indices are its quotients and remainders. An access
that is linear in the dimensions uses the joint index if its strides allow, so that an
elementwise kernel on contiguous tensors needs no division.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from devproc.errors import CompileError
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value


@dataclass(frozen=True)
class Linear:
    """constant + the sum of coefficient * dimension."""

    terms: tuple[tuple[int, int], ...]
    """(dimension, coefficient), sorted by dimension, without zeros."""
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[int, int], constant: int = 0) -> Linear:
        """Build a linear form, with sorted terms and without zeros."""
        return Linear(tuple(sorted((d, c) for d, c in terms.items() if c)), constant)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """self + factor * other."""
        terms = dict(self.terms)
        for dim, coefficient in other.terms:
            terms[dim] = terms.get(dim, 0) + factor * coefficient
        return Linear.of(terms, self.constant + factor * other.constant)


def linear_form(expr: AffineExpr) -> Linear | None:
    """The expression as a linear form; None if it contains divisions or remainders."""
    if isinstance(expr, AffineConstantExpr):
        return Linear((), expr.value)
    if isinstance(expr, AffineDimExpr):
        return Linear(((expr.position, 1),))
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    lhs, rhs = linear_form(expr.lhs), linear_form(expr.rhs)
    if lhs is None or rhs is None:
        return None
    if expr.kind == AffineBinaryOpKind.Add:
        return lhs.plus(rhs)
    if expr.kind == AffineBinaryOpKind.Mul:
        if not rhs.terms:
            return Linear(()).plus(lhs, rhs.constant)
        if not lhs.terms:
            return Linear(()).plus(rhs, lhs.constant)
    return None


@dataclass
class Axis:
    """Dimensions traversed by one joint index, the last one fastest."""

    dims: tuple[int, ...]
    extents: tuple[int, ...]
    index: Value
    mask: SSAValue | None = None
    """The mask of positions inside the extents; None if all are."""
    first: Value = 0
    """The first position of the block."""
    runs: dict[tuple[int, int], Value] = field(
        default_factory=dict[tuple[int, int], Value]
    )

    def run(self, b: BlockBuilder, start: int, stop: int) -> Value:
        """The joint index of dimensions start..stop-1 of this axis."""
        key = (start, stop)
        if key not in self.runs:
            value = b.div(self.index, prod(self.extents[stop:]))
            if prod(self.extents[:start]) > 1:
                value = b.mod(value, prod(self.extents[start:stop]))
            self.runs[key] = 0 if prod(self.extents[start:stop]) == 1 else value
        return self.runs[key]


class Space:
    """The indices of all dimensions of an op in one program."""

    def __init__(self, builder: BlockBuilder, axes: Sequence[Axis]):
        self.builder = builder
        self.axes = list(axes)
        self.places = {
            dim: (axis, place)
            for axis in self.axes
            for place, dim in enumerate(axis.dims)
        }

    def with_axes(self, axes: Sequence[Axis]) -> Space:
        """This space with more dimensions."""
        return Space(self.builder, [*self.axes, *axes])

    def dim(self, dim: int) -> Value:
        """The index of one dimension."""
        axis, place = self.places[dim]
        return axis.run(self.builder, place, place + 1)

    def offset(self, form: Linear) -> Value:
        """The value of a linear form; adjacent dimensions are collapsed if possible."""
        b = self.builder
        terms = dict(form.terms)
        total: Value = 0
        for axis in self.axes:
            for start, stop, coefficient in collapsed(axis.dims, axis.extents, terms):
                total = b.add(total, b.mul(axis.run(b, start, stop), coefficient))
        return b.add(total, form.constant)

    def evaluate(self, expr: AffineExpr) -> Value:
        """The value of any affine expression of the dimensions."""
        form = linear_form(expr)
        if form is not None:
            return self.offset(form)
        assert isinstance(expr, AffineBinaryOpExpr)
        lhs, rhs = self.evaluate(expr.lhs), self.evaluate(expr.rhs)
        value = self.builder.affine(expr.kind, lhs, rhs)
        if value is None:
            raise CompileError(f"no GPU address for the index expression {expr}")
        return value

    def mask(self, dims: Collection[int] | None = None) -> SSAValue | None:
        """The mask of positions within these dimensions (default: all)."""
        mask: SSAValue | None = None
        for axis in self.axes:
            sizes = dict(zip(axis.dims, axis.extents, strict=True))
            if dims is None or any(sizes.get(d, 1) != 1 for d in dims):
                mask = self.builder.both(mask, axis.mask)
        return mask


def collapsed(
    dims: Sequence[int], extents: Sequence[int], terms: Mapping[int, int]
) -> list[tuple[int, int, int]]:
    """Runs of adjacent dimensions that one joint index addresses: (start, stop, stride).

    `terms`: the stride of each dimension. Runs of stride 0 are left out.
    """
    strides = [terms.get(d, 0) for d in dims]
    runs: list[tuple[int, int, int]] = []
    start = 0
    for stop in range(1, len(dims) + 1):
        if stop < len(dims):
            outer = strides[stop - 1]
            if extents[stop] == 1:
                # A dimension of size one fits any stride.
                strides[stop] = outer
            if outer == strides[stop] * extents[stop]:
                continue
        if any(strides[start:stop]):
            runs.append((start, stop, strides[stop - 1]))
        start = stop
    return runs


def point(
    builder: BlockBuilder, indices: Sequence[Value], mask: SSAValue | None
) -> Space:
    """The space of an op at explicit indices of its dimensions."""
    axes = [Axis((d,), (0,), index, mask) for d, index in enumerate(indices)]
    for axis in axes:
        # The index is explicit; the extent is irrelevant.
        axis.runs[(0, 1)] = axis.index
    return Space(builder, axes)
