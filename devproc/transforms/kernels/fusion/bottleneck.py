"""Inverted bottlenecks as one kernel: expansion, depthwise window, projection.

The expanded image is several times as large as the input and the result. If it exceeds
a core's cache and has no other reader, the three groups become one kernel that keeps
only a few lines of the image at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Block, Operation, SSAValue

from devproc.dialects.dev import device_of
from devproc.dialects.nn.window import FEW_CHANNELS
from devproc.ir.devices import HOST
from devproc.ir.program.structured import (
    Generic,
    dim,
    is_multiply_add,
    is_pointwise,
    is_slice,
    loop_sizes,
    loops_of,
    maps_of,
    reads_whole,
)
from devproc.ir.types import item_size, tensor_of
from devproc.transforms.kernels.fusion.groups import Group, is_identity, is_in_order
from devproc.transforms.kernels.fusion.merge import is_used_outside

IMAGE_BYTES = 600 * 1024
"""Expanded images of up to this size stay in a core's cache between two kernels."""

CORE_BYTES = 768 * 1024
"""Bytes of a core's cache for lines, and for the filters, which all lines reuse."""

MAX_STRIDE = 4
"""Largest stride of a window."""


@dataclass(frozen=True)
class Bottleneck:
    """The three groups of one kernel, in order."""

    expansion: Group
    depthwise: Group
    projection: Group

    @property
    def groups(self) -> tuple[Group, Group, Group]:
        """The three groups, in order."""
        return self.expansion, self.depthwise, self.projection


def find_bottlenecks(
    groups: Collection[Group], group_of: Mapping[Operation, Group]
) -> list[Bottleneck]:
    """The groups that become one kernel; sets their family."""
    found: list[Bottleneck] = []
    taken: set[Group] = set()
    for projection in groups:
        depthwise = _maker(projection, group_of)
        expansion = None if depthwise is None else _maker(depthwise, group_of)
        if depthwise is None or expansion is None:
            continue
        three = Bottleneck(expansion, depthwise, projection)
        if taken.isdisjoint(three.groups) and _fits(three) and _pays(three):
            found.append(three)
            taken |= set(three.groups)
    for group in taken:
        group.family = "bottleneck"
    return found


def _maker(group: Group, group_of: Mapping[Operation, Group]) -> Group | None:
    """The group whose only result is the image that a product reads."""
    anchor = _anchor(group)
    if group.family != "window" or not is_multiply_add(anchor):
        return None
    image = anchor.inputs[0]
    owner = image.owner
    maker = group_of.get(owner) if isinstance(owner, Operation) else None
    if maker is None or maker.family != "window" or image.uses.get_length() != 1:
        return None
    made = [v for v in maker.values if is_used_outside(v, maker.members)]
    type_ = tensor_of(image)
    is_alone = made == [image] and _computes_f32(maker) and _computes_f32(group)
    return maker if is_alone and device_of(type_) == HOST else None


def _computes_f32(group: Group) -> bool:
    """Whether all values are f32, so that all three groups use one vector length."""
    types = {
        value.type
        for op in group.members
        for inner in (op.body.block, *op.body.block.ops)
        for value in (inner.args if isinstance(inner, Block) else inner.results)
    }
    return types <= {f32, i1}


def _anchor(group: Group) -> Generic:
    return next((op for op in group.members if not is_pointwise(op)), group.members[0])


def _image(group: Group) -> SSAValue:
    return _anchor(group).inputs[0]


def _fits(three: Bottleneck) -> bool:
    """Whether the schedule supports the products."""
    expanded = three.expansion.values[_image(three.depthwise)]
    windows = three.depthwise.values[_image(three.projection)]
    return (
        _is_expansion(_anchor(three.expansion))
        and _is_depthwise(_anchor(three.depthwise))
        and _is_projection(_anchor(three.projection))
        and is_in_order(expanded)
        and is_identity(windows)
        and not is_slice(windows, _image(three.projection), three.depthwise.sizes)
    )


def _is_expansion(op: Generic) -> bool:
    """Whether an op is a product with the channels of each pixel, in any access order,
    or with those of a few pixels if they are as few (a model's first convolution)."""
    if len(loop_sizes(op)) != 7:
        return False
    *taps, channels = loop_sizes(op)[4:]
    is_small = taps == [1, 1] or channels <= FEW_CHANNELS
    others = [loops_of(op, index) for index in (1, 2)]
    return is_small and others == [[4, 5, 6, 3], [0, 1, 2, 3]]


def _is_projection(op: Generic) -> bool:
    """Whether an op is a product with the channels of each pixel of a whole image."""
    image = (dim(0), dim(1) + dim(4), dim(2) + dim(5), dim(6))
    is_1x1 = loop_sizes(op)[4:6] == (1, 1)
    is_image = maps_of(op)[0].results == image and reads_whole(op)
    return is_1x1 and _is_expansion(op) and is_image


def _is_depthwise(op: Generic) -> bool:
    """Whether an op is a window over each channel, without dilation or gaps."""
    image, others = maps_of(op)[0].results, [loops_of(op, index) for index in (1, 2)]
    if others != [[4, 5, 3], [0, 1, 2, 3]] or not reads_whole(op):
        return False
    taps = loop_sizes(op)[4]
    return any(
        image == (dim(0), dim(1) * s + dim(4), dim(2) * t + dim(5), dim(3))
        for s, t in product(range(1, MAX_STRIDE + 1), repeat=2)
        if s <= taps
    )


def _pays(three: Bottleneck) -> bool:
    """Whether the expanded image exceeds the cache, but a few lines of it fit."""
    image = tensor_of(_image(three.depthwise))
    _, _, width, channels = image.get_shape()
    filters = [_anchor(g).inputs[1] for g in (three.expansion, three.projection)]
    lines = loop_sizes(_anchor(three.depthwise))[4] + 1
    kept = sum(_bytes(value) for value in filters)
    kept += lines * width * channels * item_size(f32)
    return _bytes(_image(three.depthwise)) > IMAGE_BYTES and kept <= CORE_BYTES


def _bytes(value: SSAValue) -> int:
    type_ = tensor_of(value)
    return prod(type_.get_shape()) * item_size(type_.element_type)
