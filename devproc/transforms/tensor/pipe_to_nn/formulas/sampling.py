"""Interpolation of images at computed positions, as in `grid_sample`.

Each result is a weighted sum of neighbours. PyTorch's kernels for images and for
volumes differ in the rounding of positions and in the treatment of NaN; both are
reproduced, each step in the dtype of the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from devproc.dialects.nn.elementary import RoundOp, TruncOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import RemainderOp
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)

BILINEAR, NEAREST, BICUBIC = range(3)
"""PyTorch's numbers of the modes."""

ZEROS, BORDER, REFLECTION = range(3)
"""PyTorch's numbers of the padding modes."""


@dataclass(frozen=True)
class Neighbour:
    """One element along an axis that contributes to a result."""

    index: Expression
    inside: Expression
    """Whether the element is within the image."""
    weight: Expression | None = None


@dataclass(frozen=True)
class Axis:
    """Positions along one axis of an image or a volume."""

    e: Expressions
    size: int
    padding: int
    align_corners: bool
    volume: bool

    def place(self, coordinate: Expression) -> Expression:
        """Map -1 .. 1 to positions between the elements."""
        shifted, size = coordinate + 1, self.size
        if self.align_corners:
            if self.volume:
                return shifted / 2 * (size - 1)
            return shifted * ((size - 1) / 2)
        if self.volume:
            return (shifted * size - 1) / 2
        return shifted * (size / 2) - 0.5

    def kept(self, place: Expression) -> Expression:
        """The position moved into the image by padding modes other than zeros."""
        if self.padding == ZEROS:
            return place
        if self.padding == REFLECTION:
            place = self._reflected(place)
        # NaN becomes 0 in an image, and the last position in a volume.
        if self.volume:
            place = self.e.where(place < 0, 0, place)
        else:
            place = self.e.where(place > 0, place, 0)
        return self.e.where(place < self.size - 1, place, self.size - 1)

    def _reflected(self, place: Expression) -> Expression:
        e, span = self.e, self.size - 1 if self.align_corners else self.size
        low = 0 if self.align_corners else -0.5
        if span == 0:
            return place * 0
        distance = (place - low).abs()
        if not self.volume:
            flips = e.apply(TruncOp, distance / (2 * span))
            rest = distance - flips * (2 * span)
            other = 2 * span - rest
            return e.where(rest < other, rest, other) + low
        rest = e.apply(RemainderOp, distance, span)
        flips = (distance / span).floor()
        odd = e.apply(RemainderOp, flips, 2) > 0
        return e.where(odd, span - rest, rest) + low

    def neighbour(
        self, place: Expression, step: int = 0, weight: Expression | None = None
    ) -> Neighbour:
        """The element `step` after an integer position."""
        # NaN, or a position far outside, is not an integer: use a position outside.
        half = place.dtype in ("float16", "bfloat16")
        wide = place.cast("float32") if half else place
        near = (wide > -4) & (wide < self.size + 4)
        index = self.e.where(near, wide, -8).cast("int32")
        if step:
            index = index + step
        return Neighbour(index, (index >= 0) & (index < self.size), weight)

    def nearest(self, coordinate: Expression) -> list[Neighbour]:
        """The one element that is nearest."""
        place = self.kept(self.place(coordinate))
        return [self.neighbour(self.e.apply(RoundOp, place))]

    def linear(self, coordinate: Expression) -> list[Neighbour]:
        """The elements before and after the position, weighted by its distance."""
        place = self.kept(self.place(coordinate))
        floor = place.floor()
        far = place - floor
        near = floor + 1 - place if self.volume else 1 - far
        return [self.neighbour(floor, 0, near), self.neighbour(floor, 1, far)]

    def cubic(self, coordinate: Expression) -> list[Neighbour]:
        """Four elements, each moved into the image separately."""
        place = self.place(coordinate)
        floor = place.floor()
        return [
            self.neighbour(self.kept(floor + step), 0, weight)
            for step, weight in zip(range(-1, 3), cubic(place - floor), strict=True)
        ]


def cubic(t: Expression) -> list[Expression]:
    """The four weights of a cubic convolution with A = -0.75."""
    a = -0.75

    def near(x: Expression) -> Expression:
        return (x * (a + 2) - (a + 3)) * x * x + 1

    def far(x: Expression) -> Expression:
        return ((x * a - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _all(conditions: Sequence[Expression]) -> Expression:
    return reduce(lambda a, b: a & b, conditions)


def _value(e: Expressions, x: Expression, at: Sequence[Neighbour]) -> Expression:
    """The elements at these neighbours, 0 where there is none."""
    axes = list(range(2, 2 + len(at)))
    found = e.emit(GatherOp.at(x.ssa, [n.index.ssa for n in at], axes))
    return e.where(_all([n.inside for n in at]), found, 0)


def _weight(neighbour: Neighbour) -> Expression:
    assert neighbour.weight is not None
    return neighbour.weight


def _linear(
    e: Expressions, x: Expression, axes: Sequence[Sequence[Neighbour]], volume: bool
) -> Expression:
    """The corners around each position, with the last axis fastest."""
    terms: list[Expression] = []
    for at in product(*axes):
        # The weights of the last axis first, as PyTorch multiplies them.
        weight = reduce(lambda a, b: a * b, [_weight(n) for n in reversed(at)])
        term = _value(e, x, at) * weight
        if volume:
            # A corner outside of a volume is skipped, whatever its weight.
            term = e.where(_all([n.inside for n in at]), term, 0)
        terms.append(term)
    return reduce(lambda a, b: a + b, terms)


def _cubic(
    e: Expressions, x: Expression, axes: Sequence[Sequence[Neighbour]]
) -> Expression:
    """Four rows, each of four elements."""
    rows, columns = axes

    def line(row: Neighbour) -> Expression:
        terms = [_weight(c) * _value(e, x, (row, c)) for c in columns]
        return reduce(lambda a, b: a + b, terms)

    return reduce(lambda a, b: a + b, [_weight(row) * line(row) for row in rows])


def grid_sample(
    e: Expressions,
    x: Expression,
    grid: Expression,
    mode: int,
    padding: int,
    align_corners: bool,
) -> Expression:
    """`torch.nn.functional.grid_sample` of an image or a volume with batch and channels."""
    rank = len(x.shape) - 2
    volume = rank == 3
    batch, *sizes = grid.shape[:-1]
    find = {BILINEAR: Axis.linear, NEAREST: Axis.nearest, BICUBIC: Axis.cubic}[mode]
    axes: list[list[Neighbour]] = []
    for d, size in enumerate(x.shape[2:]):
        # The grid names the last axis first.
        coordinate = grid.part(rank + 1, rank - 1 - d, 1).reshape(batch, 1, *sizes)
        axes.append(find(Axis(e, size, padding, align_corners, volume), coordinate))
    if mode == NEAREST:
        return _value(e, x, [line[0] for line in axes])
    if mode == BICUBIC:
        return _cubic(e, x, axes)
    return _linear(e, x, axes, volume)
