"""Transposed convolutions, without zeros inserted between the pixels.

Each phase of the results (see `phases.py`) is a convolution with a subset of the taps; the
phases are then interleaved. These convolutions pad the image with zeros, which would turn an
infinity in the filters into NaN. Where filters contain one, or may contain one because they
depend on inputs, phases that read the padding are summed tap by tap instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from math import prod

from xdsl.ir import SSAValue

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.dialects.nn.window import FEW_CHANNELS
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import GraphBuilder, shape_of
from devproc.frontends.torch_export.graph.finite import is_known_finite
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

FEW_OUTPUTS = 16
"""Output channels below which they do not fill vectors: several phases are then computed
together, even if some results are discarded. (From 64 channels at 32 x 32 to 3, 4 x 4 with
stride 2, this takes half the time; at 28 x 28 to 16 channels, 8 % more.)"""

MANY_PLACES = 16
"""Positions s * s of a depthwise convolution that together fill vectors; with fewer, each is
a convolution with vectors along the channels. (64 channels at 28 x 28, 4 x 4 with stride 2,
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
    is_finite: bool
    """Whether the filters are known to be finite, so that zero padding is harmless."""

    @property
    def outputs(self) -> int:
        """Output channels of each group."""
        return shape_of(self.weight)[1]

    @property
    def is_last(self) -> bool:
        """Whether phases are interleaved with channels last, as convolutions of more than a
        few channels compute them."""
        return self.groups * self.outputs > FEW_CHANNELS

    @property
    def axes(self) -> Sequence[tuple[int, int]]:
        """For each dimension, its axis of the images and the number of consecutive elements
        of that axis at the same position."""
        return ((0, self.batch), (2, 1), (3, 1))[-len(self.dimensions) :]

    @property
    def names(self) -> str:
        """A letter for each dimension."""
        return "dhw"[-len(self.dimensions) :]

    @property
    def order(self) -> str:
        """The letters of batch, groups and output channels, and for each dimension those of
        q and, in capitals, p."""
        pairs = "".join(name + name.upper() for name in self.names)
        return f"n{pairs}go" if self.is_last else f"ngo{pairs}"

    def result(self, images: SSAValue) -> SSAValue:
        """The interleaved results of all phases: (N, C, ...)."""
        b, dimensions = self.b, self.dimensions
        padded = self._padded(images) if self.is_finite else images
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
        """The images with the padding that some of the taps read."""
        low, high = [0] * 4, [0] * 4
        for d, (axis, scale) in zip(self.dimensions, self.axes, strict=True):
            low[axis], high[axis] = (n * scale for n in d.padding)
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
        if is_inside or self.is_finite:
            x = self._convolved(images if is_inside else padded, is_inside, phases)
        else:
            x = self._summed_by_taps(images, phases)
        places = self.names.upper()
        order = f"ng{places}ohw"
        if self.is_last:
            x, order = b.transpose(x, (0, 2, 3, 1)), f"nhwg{places}o"
        if len(phases) == 3:
            order = "d" + order
        x = b.reshape(x, [sizes[name] for name in order])
        return b.transpose(x, [order.index(name) for name in self.order])

    def _convolved(
        self, x: SSAValue, is_inside: bool, phases: Sequence[Phase]
    ) -> SSAValue:
        """One phase of the images, padded or not, as a convolution."""
        b, pairs = self.b, zip(self.dimensions, phases, strict=True)
        for (d, phase), (axis, scale) in zip(pairs, self.axes, strict=True):
            start = phase.start + (0 if is_inside else d.padding[0])
            span = d.count + phase.dilation * (phase.taps - 1)
            x = part(b, x, axis, start * scale, span * scale)
        ones, none = [1] * len(phases), [0] * len(phases)
        windows = Windows(ones, none, [p.dilation for p in phases], self.groups)
        filters, bias = self._filters(phases), self._bias(phases)
        if len(phases) == 3:
            return over_depth(b, x, self.batch, filters, bias, windows)
        return convolved(b, x, filters, bias, windows)

    def _summed_by_taps(self, images: SSAValue, phases: Sequence[Phase]) -> SSAValue:
        """One phase without padding the images: sums the products of each tap with the
        pixels that it reads, with zeros elsewhere.
        """
        b, filters = self.b, self._filters(phases)
        rows, inputs, *taps = shape_of(filters)
        count, places = prod(taps), rows // self.groups
        filters = b.reshape(filters, (self.groups, places, inputs, count))
        filters = b.transpose(filters, (0, 3, 1, 2))
        filters = b.reshape(filters, (rows * count, inputs, 1, 1))
        windows = Windows([1, 1], [0, 0], [1, 1], self.groups)
        products = convolved(b, images, filters, None, windows)
        n, _, *plane = shape_of(products)
        products = b.reshape(products, (n, self.groups, count, places, *plane))
        f, bias = Formula(b, tensor_of(images).element_type), self._bias(phases)
        terms = [] if bias is None else [b.reshape(bias, (rows, 1, 1))]
        for i, tap in enumerate(product(*map(range, taps))):
            term = b.reshape(part(b, products, 2, i, 1), (n, rows, *plane))
            terms.append(self._placed(term, phases, tap))
        return reduce(partial(f, AddOp), terms)

    def _placed(
        self, x: SSAValue, phases: Sequence[Phase], tap: Sequence[int]
    ) -> SSAValue:
        """The products of a tap with each pixel, moved to the results that they belong to."""
        low, high = [0] * 4, [0] * 4
        pairs = zip(self.dimensions, self.axes, phases, tap, strict=True)
        for d, (axis, scale), phase, i in pairs:
            pixel = phase.start + phase.dilation * i
            first = min(max(0, -pixel), d.count)
            size = max(0, min(d.count, d.size - pixel) - first)
            x = part(self.b, x, axis, (first + pixel) * scale, size * scale)
            low[axis], high[axis] = first * scale, (d.count - first - size) * scale
        return self.b.emit(PadOp.around(x, low, high))

    def _without_taps(self, images: SSAValue, sizes: dict[str, int]) -> SSAValue:
        """The bias, or zeros, for results that no pixel contributes to."""
        b, shape = self.b, [sizes[name] for name in self.order]
        if self.bias is None:
            element = tensor_of(images).element_type
            return expanded(b, b.emit(ConstantOp.of(tensor(element, ()), [0])), shape)
        channels = [sizes[name] if name in "go" else 1 for name in self.order]
        return expanded(b, b.reshape(self.bias, channels), shape)

    def _bias(self, phases: Sequence[Phase]) -> SSAValue | None:
        """The bias for each p, in the order of the filters."""
        if self.bias is None:
            return None
        b, places = self.b, prod(phase.places for phase in phases)
        bias = b.reshape(self.bias, (self.groups, 1, self.outputs))
        bias = expanded(b, bias, (self.groups, places, self.outputs))
        return b.reshape(bias, (self.groups * places * self.outputs,))

    def _filters(self, phases: Sequence[Phase]) -> SSAValue:
        """Filters (groups * places * out, in, ...) of a convolution, with the taps in
        reverse order."""
        b, (inputs, outputs, *kernel) = self.b, shape_of(self.weight)
        # Missing taps are padded here, and dropped below.
        sizes = [phase.step * phase.taps for phase in phases]
        ends = [p.first + size for p, size in zip(phases, sizes, strict=True)]
        after = [max(0, end - k) for end, k in zip(ends, kernel, strict=True)]
        none = [0] * (2 + len(phases))
        x = self.weight
        if any(after):
            x = b.emit(PadOp.around(x, none, [0, 0, *after]))
        for axis, (phase, size) in enumerate(zip(phases, sizes, strict=True), 2):
            x = part(b, x, axis, phase.first, size)
        leading = (self.groups, inputs // self.groups, outputs)
        x = b.reshape(x, (*leading, *(n for p in phases for n in (p.taps, p.step))))
        start = [n for p in phases for n in (p.taps - 1, 0)]
        size = [n for p in phases for n in (p.taps, p.places)]
        step = [-1, 1] * len(phases)
        every, size = [1, 1, 1, *step], [*leading, *size]
        x = b.emit(SliceOp.of(x, [0, 0, 0, *start], size, every))
        taps = range(3, 3 + 2 * len(phases), 2)
        x = b.transpose(x, (0, *(axis + 1 for axis in taps), 2, 1, *taps))
        channels = self.groups * prod(p.places for p in phases) * outputs
        return b.reshape(x, (channels, leading[1], *(p.taps for p in phases)))


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
    """A transposed convolution; the number of results follows from the node's type."""
    rank = rank_of(weight)
    shape, element = b.result.get_shape(), b.result.element_type
    if 0 in shape:
        return b.fill(0)
    x = as_batch(b, x, rank)
    sizes = [sizes_of(values, rank) for values in (stride, dilation, padding)]
    results = shape[-rank:]
    is_finite = is_known_finite(b, weight)
    if not is_finite:
        f = Formula(b, compute_type(element))
        x, weight = f.value(x), f.value(weight)
        bias = None if bias is None else f.value(bias)
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
    layer = Transposed(b, weight, bias, groups, batch, dimensions, is_finite)
    return b.reshape(b.cast(layer.result(images), element), shape)
