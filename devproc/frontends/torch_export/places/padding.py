"""ATen's padding operators; rows of `shape`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.ir import SSAValue

from devproc.dialects.nn.shape import ConcatOp, ExpandOp, PadOp, SliceOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.places.pieces import expanded, joined, part
from devproc.ir.types import tensor_of


def constant_pad(
    b: GraphBuilder, x: SSAValue, amounts: Sequence[int], number: Number | None = 0
) -> SSAValue:
    """Pads with one number; negative amounts crop. PyTorch counts the amounts from the
    last dimension.
    """
    rank = len(shape_of(x))
    low, high = [0] * rank, [0] * rank
    for i in range(len(amounts) // 2):
        axis = rank - 1 - i
        low[axis], high[axis] = amounts[2 * i], amounts[2 * i + 1]
        before, after = max(-low[axis], 0), max(-high[axis], 0)
        if before or after:
            # Cropping may reach into the padding of the other side: pad that first.
            grown = max(low[axis], 0), max(high[axis], 0)
            x = axis_pad(b, x, axis, *grown, number)
            size = shape_of(x)[axis]
            x = part(b, x, axis, before, size - before - after)
            low[axis] = high[axis] = 0
    return _around(b, x, low, high, number)


def axis_pad(
    b: GraphBuilder,
    x: SSAValue,
    axis: int,
    before: int,
    after: int,
    number: Number | None = 0,
) -> SSAValue:
    """Pads one axis with a number."""
    low, high = ([0] * len(shape_of(x)) for _ in range(2))
    low[axis], high[axis] = before, after
    return _around(b, x, low, high, number)


def _around(
    b: GraphBuilder,
    x: SSAValue,
    low: Sequence[int],
    high: Sequence[int],
    number: Number | None,
) -> SSAValue:
    if not any((*low, *high)):
        return x
    value = b.scalar(number, tensor_of(x).element_type) if number else None
    return b.emit(PadOp.around(x, low, high, value))


_PLACES: dict[str, Callable[[int, int], int]] = {
    "reflect": lambda place, size: size - 1 - abs(size - 1 - abs(place)),
    "replicate": lambda place, size: min(max(place, 0), size - 1),
    "circular": lambda place, size: place % size,
}
"""Mode -> the source position of an element that lies outside of an axis of some size."""


def _mode_pad(
    b: GraphBuilder, x: SSAValue, amounts: Sequence[int], mode: str
) -> SSAValue:
    """Pads with the operand's own elements, axis by axis."""
    rank = len(shape_of(x))
    for i in range(len(amounts) // 2):
        axis, (low, high) = rank - 1 - i, amounts[2 * i : 2 * i + 2]
        if mode == "circular":
            # Negative amounts crop first: only what is left wraps around.
            cut, size = max(-low, 0), shape_of(x)[axis]
            x = part(b, x, axis, cut, size - cut - max(-high, 0))
            low, high = max(low, 0), max(high, 0)
        if low or high:
            x = joined(b, _pieces(b, x, axis, low, high, _PLACES[mode]), axis)
    return x


def _pieces(
    b: GraphBuilder,
    x: SSAValue,
    axis: int,
    low: int,
    high: int,
    place_of: Callable[[int, int], int],
) -> list[SSAValue]:
    """The padding before the operand, what is left of the operand, the padding after."""
    size = shape_of(x)[axis]
    first, end = max(-low, 0), min(size + high, size)
    before = [place_of(place, size) for place in range(-low, min(size + high, 0))]
    after = [place_of(place, size) for place in range(max(-low, size), size + high)]
    return [
        *(_piece(b, x, axis, *run) for run in _runs(before)),
        part(b, x, axis, min(first, size), max(end - first, 0)),
        *(_piece(b, x, axis, *run) for run in _runs(after)),
    ]


def _runs(line: Sequence[int]) -> list[tuple[int, int, int]]:
    """Positions as runs (first, count, step) with a step of -1, 0 or 1."""
    found: list[tuple[int, int, int]] = []
    for place in line:
        if found:
            first, count, step = found[-1]
            by = place - (first + (count - 1) * step)
            if abs(by) <= 1 and (count == 1 or by == step):
                found[-1] = first, count + 1, by
                continue
        found.append((place, 1, 1))
    return found


def _piece(
    b: GraphBuilder, x: SSAValue, axis: int, first: int, count: int, step: int
) -> SSAValue:
    """A run of an axis; with step 0, one element repeated."""
    if step:
        return part(b, x, axis, first, count, step)
    shape = list(shape_of(x))
    shape[axis] = count
    return expanded(b, part(b, x, axis, first, 1), shape)


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


_MAKES = (SliceOp, ExpandOp, ConcatOp)


def _mode(mode: str) -> ImportRule:
    return ImportRule(partial(_pad, mode=mode), _MAKES)


ROWS: dict[str, ImportRule] = {
    **rows_of(_mode("circular"), "_pad_circular"),
    "aten.constant_pad_nd.default": ImportRule(constant_pad, (PadOp, SliceOp)),
    "aten.pad.default": ImportRule(_pad, (PadOp, *_MAKES)),
    **rows_of(_mode("reflect"), "reflection_pad1d reflection_pad2d reflection_pad3d"),
    **rows_of(
        _mode("replicate"), "replication_pad1d replication_pad2d replication_pad3d"
    ),
}
"""ATen overload -> import rule."""
