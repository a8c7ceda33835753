"""Convolutions over one, two and three dimensions as two-dimensional ones.

One-dimensional data is an image of height 1. A volume is a batch of images, one for each
depth: each slice of the kernel convolves the images at its depth, and the results are
added, so that no data is duplicated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import int_array, int_attr
from devproc.dialects.nn.pointwise import AddOp
from devproc.dialects.nn.shape import PadOp
from devproc.dialects.nn.window import Conv2dOp
from devproc.frontends.torch_export.elementwise.formula import Formula, compute_type
from devproc.frontends.torch_export.graph.builder import GraphBuilder, shape_of
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.pieces import part
from devproc.ir.types import tensor_of


@dataclass(frozen=True)
class Windows:
    """The windows of a convolution, with a value for each dimension."""

    stride: Sequence[int]
    padding: Sequence[int]
    dilation: Sequence[int]
    groups: int

    def plane(self) -> Windows:
        """The windows over the last two dimensions."""
        stride, padding = self.stride[-2:], self.padding[-2:]
        return Windows(stride, padding, self.dilation[-2:], self.groups)


def rank_of(weight: SSAValue) -> int:
    """The number of spatial dimensions of the filters; raises Refusal unless 1 to 3."""
    rank = len(shape_of(weight)) - 2
    if rank not in (1, 2, 3):
        raise Refusal(
            f"convolution over {rank} dimensions is not supported",
            "only one, two and three dimensions are",
        )
    return rank


def convolved(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    windows: Windows,
) -> SSAValue:
    """The convolution of a batch with channels, of any rank."""
    if len(windows.stride) == 1:
        x, weight = with_height(b, x), with_height(b, weight)
        stride, padding = [1, *windows.stride], [0, *windows.padding]
        dilation = [1, *windows.dilation]
        windows = Windows(stride, padding, dilation, windows.groups)
    if len(windows.stride) == 2:
        return _over_images(b, x, weight, bias, windows)
    n, _, depth, *_ = shape_of(x)
    if before := windows.padding[0]:
        sides = [0, 0, before, 0, 0]
        x, depth = b.emit(PadOp.around(x, sides, sides)), depth + 2 * before
    span = windows.dilation[0] * (shape_of(weight)[2] - 1) + 1
    if depth < span:
        raise Refusal(
            f"the kernel's depth {span} does not fit the padded input's {depth}",
            "use a smaller kernel or more padding",
        )
    images = over_depth(b, depth_first(b, x), n, weight, bias, windows)
    count = (depth - span) // windows.stride[0] + 1
    volume = b.reshape(images, (count, n, *shape_of(images)[1:]))
    return b.transpose(volume, (1, 2, 0, 3, 4))


def with_height(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """NCL as NCHW with height 1."""
    n, c, length = shape_of(x)
    return b.reshape(x, (n, c, 1, length))


def depth_first(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """NCDHW as a batch of images, ordered by depth first."""
    n, c, depth, *plane = shape_of(x)
    return b.reshape(b.transpose(x, (2, 0, 1, 3, 4)), (depth * n, c, *plane))


def _over_images(
    b: GraphBuilder,
    x: SSAValue,
    weight: SSAValue,
    bias: SSAValue | None,
    windows: Windows,
) -> SSAValue:
    properties = {
        "stride": int_array(windows.stride),
        "padding": int_array(windows.padding),
        "dilation": int_array(windows.dilation),
        "groups": int_attr(windows.groups),
    }
    operands = [v for v in (x, weight, bias) if v is not None]
    return b.emit(Conv2dOp.build_op(operands, properties))


def over_depth(
    b: GraphBuilder,
    images: SSAValue,
    batch: int,
    weight: SSAValue,
    bias: SSAValue | None,
    windows: Windows,
) -> SSAValue:
    """The sum over the kernel's depth for `depth_first` images that are already padded
    along the depth. Half precision is summed in float32 and rounded once.
    """
    element = tensor_of(images).element_type
    f = Formula(b, compute_type(element))
    kernel, plane = shape_of(weight)[2], windows.plane()
    images, weight = f.value(images), f.value(weight)
    stride, dilation = windows.stride[0], windows.dilation[0]
    depth = shape_of(images)[0] // batch
    count = (depth - dilation * (kernel - 1) - 1) // stride + 1

    def at_tap(tap: int) -> SSAValue:
        filters = part(b, weight, 2, tap, 1)
        filters = b.reshape(filters, (*shape_of(weight)[:2], *shape_of(weight)[3:]))
        here = _at_depths(b, images, batch, tap * dilation, count, stride)
        first = None if bias is None or tap else f.value(bias)
        return _over_images(b, here, filters, first, plane)

    return b.cast(reduce(partial(f, AddOp), map(at_tap, range(kernel))), element)


def _at_depths(
    b: GraphBuilder, images: SSAValue, batch: int, start: int, count: int, step: int
) -> SSAValue:
    """The images of `count` depths, `step` apart."""
    if step == 1:
        return part(b, images, 0, start * batch, count * batch)
    total, *image = shape_of(images)
    volume = b.reshape(images, (total // batch, batch, *image))
    return b.reshape(part(b, volume, 0, start, count, step), (count * batch, *image))
