"""ATen operators that add a border. Their rows stand in the table of `shape`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from devproc.dialects.nn.shape import ConcatOp, ExpandOp, PadOp, SliceOp
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    shape_of,
)
from devproc.frontends.torch_export.places.pieces import expanded, joined, part
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


_PLACES: dict[str, Callable[[int, int], int]] = {
    "reflect": lambda place, size: size - 1 - abs(size - 1 - abs(place)),
    "replicate": lambda place, size: min(max(place, 0), size - 1),
    "circular": lambda place, size: place % size,
}
"""Mode -> where an element before or behind an operand of some size comes from."""


def _mode_pad(
    b: GraphBuilder, x: SSAValue, amounts: Sequence[int], mode: str
) -> SSAValue:
    """A border of the operand's own elements, axis by axis."""
    rank = len(shape_of(x))
    for i in range(len(amounts) // 2):
        axis, (low, high) = rank - 1 - i, amounts[2 * i : 2 * i + 2]
        if mode == "circular":
            # Negative amounts cut first: only what is left goes round.
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
    """What lies before the operand, what is left of it, and what lies behind."""
    size = shape_of(x)[axis]
    first, end = max(-low, 0), min(size + high, size)
    before = [place_of(place, size) for place in range(-low, min(size + high, 0))]
    behind = [place_of(place, size) for place in range(max(-low, size), size + high)]
    return [
        *(_piece(b, x, axis, *run) for run in _runs(before)),
        part(b, x, axis, min(first, size), max(end - first, 0)),
        *(_piece(b, x, axis, *run) for run in _runs(behind)),
    ]


def _runs(line: Sequence[int]) -> list[tuple[int, int, int]]:
    """Places as runs of neighbours: the first, how many, and the step, -1, 0 or 1."""
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
    """A run of an axis; of no step, one element again and again."""
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
    def build(b: GraphBuilder, x: SSAValue, amounts: Sequence[int]) -> SSAValue:
        return _mode_pad(b, x, amounts, mode)

    return ImportRule(build, _MAKES)


ROWS: dict[str, ImportRule] = {
    "aten._pad_circular.default": _mode("circular"),
    "aten.constant_pad_nd.default": ImportRule(constant_pad, (PadOp, SliceOp)),
    "aten.pad.default": ImportRule(_pad, (PadOp, *_MAKES)),
    "aten.reflection_pad1d.default": _mode("reflect"),
    "aten.reflection_pad2d.default": _mode("reflect"),
    "aten.reflection_pad3d.default": _mode("reflect"),
    "aten.replication_pad1d.default": _mode("replicate"),
    "aten.replication_pad2d.default": _mode("replicate"),
    "aten.replication_pad3d.default": _mode("replicate"),
}
"""ATen overload -> how to build it."""
