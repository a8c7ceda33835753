"""`grid_sample` and `affine_grid`: images read between their elements; rows of `window`.

Each result is a weighted sum of neighbours that the grid names. PyTorch's kernels for
images and for volumes differ in the rounding of places and in what NaN becomes; both are
followed, each step in the dtype of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, LeOp, LtOp, WhereOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.elementary import FloorOp, RoundOp, TruncOp
from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.pointwise import (
    AbsOp,
    AddOp,
    DivOp,
    MulOp,
    RemainderOp,
    SubOp,
)
from devproc.frontends.torch_export.builder import GraphBuilder, ImportRule, shape_of
from devproc.frontends.torch_export.constant import fill
from devproc.frontends.torch_export.formula import Formula, compute_type
from devproc.frontends.torch_export.indices import INT64
from devproc.frontends.torch_export.pieces import part
from devproc.frontends.torch_export.problems import Refusal
from devproc.ir.types import tensor_of
from devproc.reference.tensors import torch_dtype

BILINEAR, NEAREST, BICUBIC = range(3)
"""PyTorch's numbers of the modes."""

ZEROS, BORDER, REFLECTION = range(3)
"""PyTorch's numbers of what lies outside of the image."""


@dataclass(frozen=True)
class Neighbour:
    """One of the elements along an axis that make a result."""

    index: SSAValue
    inside: SSAValue
    """Whether there is such an element."""
    weight: SSAValue | None = None


class Axis:
    """Places along one axis of an image or a volume."""

    def __init__(
        self, f: Formula, size: int, padding: int, align_corners: bool, volume: bool
    ):
        self.f = f
        self.size = size
        self.padding = padding
        self.align_corners = align_corners
        self.volume = volume

    def place(self, coordinate: SSAValue) -> SSAValue:
        """From -1 .. 1 to the place between the elements."""
        f, size = self.f, self.size
        shifted = f(AddOp, coordinate, 1)
        if self.align_corners:
            if self.volume:
                return f(MulOp, f(DivOp, shifted, 2), size - 1)
            return f(MulOp, shifted, (size - 1) / 2)
        if self.volume:
            return f(DivOp, f(SubOp, f(MulOp, shifted, size), 1), 2)
        return f(SubOp, f(MulOp, shifted, size / 2), 0.5)

    def kept(self, place: SSAValue) -> SSAValue:
        """The place moved into the image as the padding mode says; zeros stay outside."""
        if self.padding == ZEROS:
            return place
        if self.padding == REFLECTION:
            place = self._reflected(place)
        f, last = self.f, self.size - 1
        # NaN becomes 0 in an image, and the last place in a volume.
        if self.volume:
            place = f.where(f(LtOp, place, 0), 0, place)
        else:
            place = f.where(f(LtOp, 0, place), place, 0)
        return f.where(f(LtOp, place, last), place, last)

    def _reflected(self, place: SSAValue) -> SSAValue:
        f = self.f
        span = self.size - 1 if self.align_corners else self.size
        low = 0 if self.align_corners else -0.5
        if span == 0:
            return f(MulOp, place, 0)
        distance = f(AbsOp, f(SubOp, place, low))
        if not self.volume:
            flips = f(TruncOp, f(DivOp, distance, 2 * span))
            rest = f(SubOp, distance, f(MulOp, flips, 2 * span))
            other = f(SubOp, 2 * span, rest)
            return f(AddOp, f.where(f(LtOp, rest, other), rest, other), low)
        rest = f(RemainderOp, distance, span)
        flips = f(FloorOp, f(DivOp, distance, span))
        odd = f(LtOp, 0, f(RemainderOp, flips, 2))
        return f(AddOp, f.where(odd, f(SubOp, span, rest), rest), low)

    def neighbour(
        self, place: SSAValue, step: int = 0, weight: SSAValue | None = None
    ) -> Neighbour:
        """The element `step` behind a whole place."""
        f, whole = self.f, Formula(self.f.b, INT64)
        # What is far outside, or NaN, has no integer: it goes to a place that is outside.
        wide = Formula(f.b, compute_type(f.element))
        near = wide.logic(
            AndOp, wide(LtOp, -4, place), wide(LtOp, place, self.size + 4)
        )
        index = whole.value(wide.where(near, place, -8))
        if step:
            index = whole(AddOp, index, step)
        inside = f.logic(AndOp, whole(LeOp, 0, index), whole(LtOp, index, self.size))
        return Neighbour(index, inside, weight)

    def nearest(self, coordinate: SSAValue) -> list[Neighbour]:
        """The one element that is nearest."""
        place = self.kept(self.place(coordinate))
        return [self.neighbour(self.f(RoundOp, place))]

    def linear(self, coordinate: SSAValue) -> list[Neighbour]:
        """The elements before and behind the place, weighted by its distance."""
        f, place = self.f, self.kept(self.place(coordinate))
        floor = f(FloorOp, place)
        far = f(SubOp, place, floor)
        if self.volume:
            near = f(SubOp, f(AddOp, floor, 1), place)
        else:
            near = f(SubOp, 1, far)
        return [self.neighbour(floor, 0, near), self.neighbour(floor, 1, far)]

    def cubic(self, coordinate: SSAValue) -> list[Neighbour]:
        """Four elements, each moved into the image for itself."""
        f, place = self.f, self.place(coordinate)
        floor = f(FloorOp, place)
        weights = cubic_weights(f, f(SubOp, place, floor))
        return [
            self.neighbour(self.kept(f(AddOp, floor, step)), 0, weight)
            for step, weight in zip(range(-1, 3), weights, strict=True)
        ]


def cubic_weights(f: Formula, t: SSAValue) -> list[SSAValue]:
    """The four weights of a cubic convolution with A = -0.75."""
    a = -0.75

    def near(x: SSAValue) -> SSAValue:
        value = f(SubOp, f(MulOp, a + 2, x), a + 3)
        return f(AddOp, f(MulOp, f(MulOp, value, x), x), 1)

    def far(x: SSAValue) -> SSAValue:
        value = f(AddOp, f(MulOp, f(SubOp, f(MulOp, a, x), 5 * a), x), 8 * a)
        return f(SubOp, f(MulOp, value, x), 4 * a)

    return [far(f(AddOp, t, 1)), near(t), near(f(SubOp, 1, t)), far(f(SubOp, 2, t))]


def _value(f: Formula, x: SSAValue, at: Sequence[Neighbour]) -> SSAValue:
    """The elements at these neighbours, 0 where there is none."""
    axes = list(range(2, 2 + len(at)))
    found = f.b.emit(GatherOp.at(x, [n.index for n in at], axes))
    return f.where(_inside(f, at), found, 0)


def _inside(f: Formula, at: Sequence[Neighbour]) -> SSAValue:
    return reduce(lambda a, b: f.logic(AndOp, a, b), [n.inside for n in at])


def _sum(f: Formula, terms: Sequence[SSAValue]) -> SSAValue:
    return reduce(lambda a, b: f(AddOp, a, b), terms)


def _weight(neighbour: Neighbour) -> SSAValue:
    assert neighbour.weight is not None
    return neighbour.weight


def _linear(
    f: Formula, x: SSAValue, axes: Sequence[Sequence[Neighbour]], volume: bool
) -> SSAValue:
    """The corners around each place, the last axis counting fastest."""
    terms: list[SSAValue] = []
    for at in product(*axes):
        # The weights of the last axis first, as PyTorch multiplies them.
        factors = [_weight(n) for n in reversed(at)]
        weight = reduce(lambda a, b: f(MulOp, a, b), factors)
        term = f(MulOp, _value(f, x, at), weight)
        if volume:
            # A corner outside of a volume is left out, whatever its weight is.
            term = f.where(_inside(f, at), term, 0)
        terms.append(term)
    return _sum(f, terms)


def _cubic(f: Formula, x: SSAValue, axes: Sequence[Sequence[Neighbour]]) -> SSAValue:
    """Four rows, each of four elements."""
    rows, columns = axes

    def line(row: Neighbour) -> SSAValue:
        return _sum(f, [f(MulOp, _weight(c), _value(f, x, (row, c))) for c in columns])

    return _sum(f, [f(MulOp, _weight(row), line(row)) for row in rows])


def _grid_sample(
    b: GraphBuilder,
    x: SSAValue,
    grid: SSAValue,
    mode: int,
    padding: int,
    align_corners: bool,
) -> SSAValue:
    rank = len(shape_of(x)) - 2
    volume = rank == 3
    if mode == BICUBIC and volume:
        raise Refusal(
            "grid_sample of a volume has no mode 'bicubic'", "use bilinear or nearest"
        )
    if 0 in b.result.get_shape():
        return fill(b, 0)
    f = Formula(b, tensor_of(x).element_type)
    batch, *sizes = shape_of(grid)[:-1]
    find: dict[int, Callable[[Axis, SSAValue], list[Neighbour]]] = {
        BILINEAR: Axis.linear,
        NEAREST: Axis.nearest,
        BICUBIC: Axis.cubic,
    }
    axes: list[list[Neighbour]] = []
    for d, size in enumerate(shape_of(x)[2:]):
        # The grid names the last axis first.
        coordinate = b.reshape(
            part(b, grid, rank + 1, rank - 1 - d, 1), (batch, 1, *sizes)
        )
        axis = Axis(f, size, padding, bool(align_corners), volume)
        axes.append(find[mode](axis, coordinate))
    if mode == NEAREST:
        return _value(f, x, [line[0] for line in axes])
    if mode == BICUBIC:
        return _cubic(f, x, axes)
    return _linear(f, x, axes, volume)


def _affine_grid(
    b: GraphBuilder, theta: SSAValue, size: Sequence[int], align_corners: bool
) -> SSAValue:
    """The places of all elements from -1 to 1, moved by each matrix."""
    dtype, sizes = torch_dtype(b.result.element_type), list(size[2:])
    lines = [_from_minus_one(n, dtype, align_corners) for n in reversed(sizes)]
    rank = len(sizes)
    base = torch.ones([*sizes, rank + 1], dtype=dtype)
    for i, line in enumerate(lines):
        base[..., i] = line.reshape([-1, *[1] * i])
    places = b.constant(base.reshape(-1, rank + 1), f"base_grid.{b.node_name}")
    moved = b.emit(MatmulOp.build_op([places, b.transpose(theta, (0, 2, 1))]))
    return b.reshape(moved, b.result.get_shape())


def _from_minus_one(
    count: int, dtype: torch.dtype, align_corners: bool
) -> torch.Tensor:
    if count <= 1:
        return torch.zeros(1, dtype=dtype)
    line = torch.linspace(-1, 1, count, dtype=dtype)
    return line if align_corners else line * (count - 1) / count


_SAMPLE = ImportRule(_grid_sample, (GatherOp, WhereOp, MulOp, AddOp))

ROWS: dict[str, ImportRule] = {
    "aten.affine_grid_generator.default": ImportRule(_affine_grid, (MatmulOp,)),
    "aten.grid_sampler.default": _SAMPLE,
    "aten.grid_sampler_2d.default": _SAMPLE,
    "aten.grid_sampler_3d.default": _SAMPLE,
}
"""ATen overload -> how to build it."""
