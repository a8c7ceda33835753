"""Transposed convolutions, without zeros between the pixels.

Each phase of the results (see `phases.py`) is a convolution with some of the taps. In the
end the phases are put side by side. These convolutions pad the image with zeros; filters
that hold an infinity or a NaN, which zeros would turn into NaN, take another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.dialects.nn.window import FEW_CHANNELS
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.families.constant import fill
from devproc.frontends.torch_export.graph.builder import GraphBuilder, shape_of
from devproc.frontends.torch_export.graph.composites import composed_of
from devproc.frontends.torch_export.places.pieces import expanded, joined, part
from devproc.frontends.torch_export.windows.convolution import (
    Windows,
    convolved,
    depth_first,
    over_depth,
    rank_of,
    with_height,
)
from devproc.frontends.torch_export.windows.phases import Dimension, Phase
from devproc.frontends.torch_export.windows.pooling import as_batch, sizes_of
from devproc.ir.types import tensor, tensor_of
from devproc.reference.run.arrays import to_torch
from devproc.reference.run.tensors import constant_to_torch

FEW_OUTPUTS = 16
"""Channels of the result below which they do not fill vectors: results of several places
are then computed together, even where some are cut off. (From 64 channels at 32 x 32 to 3,
4 x 4 with stride 2, that takes half the time; at 28 x 28 to 16, 8 % more.)"""

MANY_PLACES = 16
"""Places of the results of a depthwise convolution that together fill vectors; fewer are
convolutions with vectors along the channels. (64 channels at 28 x 28, 4 x 4 with stride 2,
take a third of the time.)"""


@dataclass(frozen=True)
class Transposed:
    """Builds a transposed convolution of images, or of volumes that are `depth_first`."""

    b: GraphBuilder
    weight: SSAValue
    bias: SSAValue | None
    groups: int
    batch: int
    dimensions: Sequence[Dimension]

    @property
    def outputs(self) -> int:
        """Channels of the result in each group."""
        return shape_of(self.weight)[1]

    @property
    def is_last(self) -> bool:
        """Whether results are put side by side as convolutions compute them: with their
        channels last, where these are more than a few."""
        return self.groups * self.outputs > FEW_CHANNELS

    @property
    def axes(self) -> Sequence[tuple[int, int]]:
        """The axis of the images that each dimension is, and how many neighbours on it
        have the same place."""
        return ((0, self.batch), (2, 1), (3, 1))[-len(self.dimensions) :]

    @property
    def names(self) -> str:
        """A letter for each dimension."""
        return "dhw"[-len(self.dimensions) :]

    @property
    def order(self) -> str:
        """The letters of batch, groups and outputs, and for each dimension those of q and,
        in capitals, p."""
        pairs = "".join(name + name.upper() for name in self.names)
        return f"n{pairs}go" if self.is_last else f"ngo{pairs}"

    def result(self, images: SSAValue) -> SSAValue:
        """The results of all phases, side by side: (N, C, ...)."""
        b, dimensions = self.b, self.dimensions
        padded = self._padded(images)
        parts: dict[tuple[int, ...], SSAValue] = {}
        for index in product(*(range(len(d.phases)) for d in dimensions)):
            phases = [d.phases[i] for d, i in zip(dimensions, index, strict=True)]
            parts[index] = self._phase(images, padded, phases)
        for axis in reversed(range(len(dimensions))):
            place = self.order.index(self.names[axis].upper())
            lines: dict[tuple[int, ...], list[SSAValue]] = {}
            for index, value in parts.items():
                lines.setdefault(index[:axis], []).append(value)
            parts = {index: joined(b, line, place) for index, line in lines.items()}
        channels = [self.groups * self.outputs]
        sizes = [d.count * d.stride for d in dimensions]
        inner = [*sizes, *channels] if self.is_last else [*channels, *sizes]
        value = b.reshape(parts[()], (self.batch, *inner))
        for axis, d in enumerate(dimensions, 1 if self.is_last else 2):
            value = part(b, value, axis, d.cut, d.wanted)
        if not self.is_last:
            return value
        rank = len(dimensions)
        return b.transpose(value, (0, rank + 1, *range(1, rank + 1)))

    def _padded(self, images: SSAValue) -> SSAValue:
        """The images with the border that some of the taps meet."""
        low, high = [0] * 4, [0] * 4
        for d, (axis, scale) in zip(self.dimensions, self.axes, strict=True):
            low[axis], high[axis] = (n * scale for n in d.border)
        if not any((*low, *high)):
            return images
        return self.b.emit(PadOp.around(images, low, high))

    def _phase(
        self, images: SSAValue, padded: SSAValue, phases: Sequence[Phase]
    ) -> SSAValue:
        """The results of one phase of each dimension, in `order`."""
        b, pairs = self.b, list(zip(self.dimensions, phases, strict=True))
        sizes = {"n": self.batch, "g": self.groups, "o": self.outputs}
        for name, (d, phase) in zip(self.names, pairs, strict=True):
            sizes |= {name: d.count, name.upper(): phase.places}
        if not all(phase.taps for phase in phases):
            return self._without_taps(images, sizes)
        is_inside = all(d.is_inside(phase) for d, phase in pairs)
        x = images if is_inside else padded
        for (d, phase), (axis, scale) in zip(pairs, self.axes, strict=True):
            start = phase.start + (0 if is_inside else d.border[0])
            span = d.count + phase.dilation * (phase.taps - 1)
            x = part(b, x, axis, start * scale, span * scale)
        ones, none = [1] * len(phases), [0] * len(phases)
        windows = Windows(ones, none, [p.dilation for p in phases], self.groups)
        filters, bias = self._filters(phases), self._bias(phases)
        if len(phases) == 3:
            x = over_depth(b, x, self.batch, filters, bias, windows)
        else:
            x = convolved(b, x, filters, bias, windows)
        places = self.names.upper()
        order = f"ng{places}ohw"
        if self.is_last:
            x, order = b.transpose(x, (0, 2, 3, 1)), f"nhwg{places}o"
        if len(phases) == 3:
            order = "d" + order
        x = b.reshape(x, [sizes[name] for name in order])
        return b.transpose(x, [order.index(name) for name in self.order])

    def _without_taps(self, images: SSAValue, sizes: dict[str, int]) -> SSAValue:
        """The bias, or zeros, where no pixel comes to lie."""
        b, shape = self.b, [sizes[name] for name in self.order]
        if self.bias is None:
            element = tensor_of(images).element_type
            return expanded(b, b.emit(ConstantOp.of(tensor(element, ()), [0])), shape)
        channels = [sizes[name] if name in "go" else 1 for name in self.order]
        return expanded(b, b.reshape(self.bias, channels), shape)

    def _bias(self, phases: Sequence[Phase]) -> SSAValue | None:
        """The bias for each place, as the filters have them."""
        if self.bias is None:
            return None
        b, places = self.b, prod(phase.places for phase in phases)
        bias = b.reshape(self.bias, (self.groups, 1, self.outputs))
        bias = expanded(b, bias, (self.groups, places, self.outputs))
        return b.reshape(bias, (self.groups * places * self.outputs,))

    def _filters(self, phases: Sequence[Phase]) -> SSAValue:
        """Filters (groups * places * out, in, ...) of a convolution, from the last tap to
        the first."""
        b, (inputs, outputs, *kernel) = self.b, shape_of(self.weight)
        # Taps that are not there get a column here, and are left out below.
        sizes = [phase.step * phase.taps for phase in phases]
        ends = [p.first + size for p, size in zip(phases, sizes, strict=True)]
        behind = [max(0, end - k) for end, k in zip(ends, kernel, strict=True)]
        none = [0] * (2 + len(phases))
        x = self.weight
        if any(behind):
            x = b.emit(PadOp.around(x, none, [0, 0, *behind]))
        for axis, (phase, size) in enumerate(zip(phases, sizes, strict=True), 2):
            x = part(b, x, axis, phase.first, size)
        leading = (self.groups, inputs // self.groups, outputs)
        x = b.reshape(x, (*leading, *(n for p in phases for n in (p.taps, p.step))))
        start = [n for p in phases for n in (p.taps - 1, 0)]
        size = [n for p in phases for n in (p.taps, p.places)]
        step = [-1, 1] * len(phases)
        x = b.emit(
            SliceOp.of(x, [0, 0, 0, *start], (*leading, *size), [1, 1, 1, *step])
        )
        taps = range(3, 3 + 2 * len(phases), 2)
        x = b.transpose(x, (0, *(axis + 1 for axis in taps), 2, 1, *taps))
        channels = self.groups * prod(p.places for p in phases) * outputs
        return b.reshape(x, (channels, leading[1], *(p.taps for p in phases)))


def _is_finite(b: GraphBuilder, weight: SSAValue) -> bool:
    """Whether filters hold no infinity and no NaN; assumed of those that are computed."""
    owner = weight.owner
    if isinstance(owner, ConstantOp):
        value = constant_to_torch(owner.value)
    elif isinstance(owner, WeightOp):
        name = owner.key.string_value()
        value = to_torch(b.weights.array(name), b.weights.dtype(name), borrow=True)
    else:
        return True
    return not value.numel() or all(torch.isfinite(v) for v in torch.aminmax(value))


def _summed_by_taps(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    results: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> torch.Tensor:
    """The definition: each pixel times each filter, added to the results it lies on.

    Slower than phases, but only pixels of the image are multiplied.
    """
    batch, inputs, *sizes = x.shape
    kernel = weight.shape[2:]
    pixels = x.reshape(batch, groups, inputs // groups, prod(sizes))
    filters = weight.reshape(groups, inputs // groups, -1)
    value = (filters.mT @ pixels).reshape(batch, -1, *kernel, *sizes)
    # The axis of a dimension's pixels once its taps, and those before it, are summed.
    axis = len(kernel) + 1
    for size, taps, s, d, before, wanted in zip(
        sizes, kernel, stride, dilation, padding, results, strict=True
    ):
        shape = list(value.select(2, 0).shape)
        shape[axis] = max(s * (size - 1) + d * (taps - 1) + 1, before + wanted)
        total, none = value.new_zeros(shape), value.new_zeros(shape)
        for tap in range(taps):
            place, end = d * tap, d * tap + s * (size - 1) + 1
            one = value.select(2, tap)
            total = total + torch.slice_scatter(none, one, axis, place, end, s)
        value = total.narrow(axis, before, wanted)
    if bias is None:
        return value
    return value + bias.reshape(-1, *[1] * len(kernel))


_BY_TAPS = composed_of(_summed_by_taps)


def conv_transpose(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> SSAValue:
    """A transposed convolution; how many results it has, the node tells."""
    rank = rank_of(weight)
    shape, element = b.result.get_shape(), b.result.element_type
    if 0 in shape:
        return fill(b, 0)
    x = as_batch(b, x, rank)
    sizes = [sizes_of(values, rank) for values in (stride, dilation, padding)]
    results = shape[-rank:]
    if not _is_finite(b, weight):
        f = Formula(b, compute_type(element))
        values = [None if v is None else f.value(v) for v in (x, weight, bias)]
        strides, dilations, paddings = sizes
        value = _BY_TAPS.build(
            b, *values, strides, paddings, results, groups, dilations
        )
        return b.reshape(b.cast(value, element), shape)
    if rank == 1:
        x, weight, results = with_height(b, x), with_height(b, weight), (1, *results)
        sizes = [[n, *values] for n, values in zip((1, 1, 0), sizes, strict=True)]
    batch, _, *image = shape_of(x)
    inputs, outputs, *kernel = shape_of(weight)
    make = Dimension.together if outputs < FEW_OUTPUTS else Dimension.exact
    if outputs == 1 < groups == inputs and prod(sizes[0]) < MANY_PLACES:
        make = Dimension.apart
    dimensions = [
        make(size, wanted, window, padding)
        for size, wanted, *window, padding in zip(
            image, results, kernel, *sizes, strict=True
        )
    ]
    images = depth_first(b, x) if rank == 3 else x
    value = Transposed(b, weight, bias, groups, batch, dimensions).result(images)
    return b.reshape(value, shape)
