"""ATen operators that add a border. Their rows stand in the table of `shape`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from xdsl.ir import SSAValue

from devproc.dialects.nn.gather import GatherOp
from devproc.dialects.nn.shape import PadOp, SliceOp
from devproc.frontends.torch_export.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
)
from devproc.frontends.torch_export.pieces import part
from devproc.ir.types import tensor_of


def constant_pad(
    b: GraphBuilder, x: SSAValue, amounts: Sequence[int], number: Number | None = 0
) -> SSAValue:
    """A border of one number; a negative one cuts. PyTorch counts the amounts from the
    last dimension.
    """
    rank = len(shape_of(x))
    low, high = [0] * rank, [0] * rank
    for i in range(len(amounts) // 2):
        axis = rank - 1 - i
        low[axis], high[axis] = amounts[2 * i], amounts[2 * i + 1]
        before, behind = max(-low[axis], 0), max(-high[axis], 0)
        size = shape_of(x)[axis]
        if before or behind:
            # A border may cut into the border on the other side: pad that first.
            grown = max(low[axis], 0), max(high[axis], 0)
            x = _padded(b, x, axis, grown, number)
            size = shape_of(x)[axis]
            x = part(b, x, axis, before, size - before - behind)
            low[axis] = high[axis] = 0
    if not any(low) and not any(high):
        return x
    return b.emit(PadOp.around(x, low, high, _value(b, x, number)))


def _padded(
    b: GraphBuilder,
    x: SSAValue,
    axis: int,
    amounts: tuple[int, int],
    number: Number | None,
) -> SSAValue:
    if not any(amounts):
        return x
    low, high = ([0] * len(shape_of(x)) for _ in range(2))
    low[axis], high[axis] = amounts
    return b.emit(PadOp.around(x, low, high, _value(b, x, number)))


def _value(b: GraphBuilder, x: SSAValue, number: Number | None) -> SSAValue | None:
    return b.scalar(number, tensor_of(x).element_type) if number else None


def _reflected(place: torch.Tensor, size: int) -> torch.Tensor:
    place = place.abs()
    return torch.where(place < size, place, 2 * (size - 1) - place)


_PLACES: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "reflect": _reflected,
    "replicate": lambda place, size: place.clamp(0, size - 1),
    "circular": lambda place, size: place % max(size, 1),
}
"""Mode -> where an element comes from, counted from the first of the operand."""


def _places(mode: str, low: int, high: int, size: int) -> torch.Tensor:
    if mode != "circular":
        return _PLACES[mode](torch.arange(-low, size + high), size)
    # Negative amounts cut first: only what is left goes round.
    cut = max(-low, 0)
    left = size - cut - max(-high, 0)
    line = torch.arange(-max(low, 0), left + max(high, 0))
    return _PLACES[mode](line, left) + cut


def _mode_pad(
    b: GraphBuilder, x: SSAValue, amounts: Sequence[int], mode: str
) -> SSAValue:
    """A border of the operand's own elements, all sides at once."""
    rank = len(shape_of(x))
    axes: list[int] = []
    indices: list[SSAValue] = []
    for i in range(len(amounts) // 2):
        axis, (low, high) = rank - 1 - i, amounts[2 * i : 2 * i + 2]
        size = shape_of(x)[axis]
        if low or high:
            places = _places(mode, low, high, size)
            line = places.reshape([-1 if d == axis else 1 for d in range(rank)])
            axes.append(axis)
            indices.append(b.constant(line, f"constant.{b.node_name}.{axis}"))
    return b.emit(GatherOp.at(x, indices, axes)) if axes else x


def _pad(
    b: GraphBuilder,
    x: SSAValue,
    amounts: Sequence[int],
    mode: str = "constant",
    value: float | None = None,
) -> SSAValue:
    if mode == "constant":
        return constant_pad(b, x, amounts, value)
    return _mode_pad(b, x, amounts, mode)


def _mode(mode: str) -> ImportRule:
    def build(b: GraphBuilder, x: SSAValue, amounts: Sequence[int]) -> SSAValue:
        return _mode_pad(b, x, amounts, mode)

    return ImportRule(build, (GatherOp,))


ROWS: dict[str, ImportRule] = {
    "aten._pad_circular.default": _mode("circular"),
    "aten.constant_pad_nd.default": ImportRule(constant_pad, (PadOp, SliceOp)),
    "aten.pad.default": ImportRule(_pad, (PadOp, SliceOp, GatherOp)),
    "aten.reflection_pad1d.default": _mode("reflect"),
    "aten.reflection_pad2d.default": _mode("reflect"),
    "aten.reflection_pad3d.default": _mode("reflect"),
    "aten.replication_pad1d.default": _mode("replicate"),
    "aten.replication_pad2d.default": _mode("replicate"),
    "aten.replication_pad3d.default": _mode("replicate"),
}
"""ATen overload -> how to build it."""
