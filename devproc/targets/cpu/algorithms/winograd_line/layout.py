"""When filters are stored transformed along their lines."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import TargetAttr, WinogradLineAttr
from devproc.ir.layouts.winograd import LINE_TAPS, LINE_TILE, line_taps
from devproc.ir.program.structured import dim, maps_of, reads_whole
from devproc.ir.types import dtype_name, tensor_of
from devproc.targets.cpu.machine.attribute import machine_of

LEAST_TERMS = 16
"""Fewest terms of a sum at one point of a line: with fewer, transforms do not pay."""


def planar_convolution(stride: int) -> list[AffineMap]:
    """The indexing maps of a dense convolution with channels first: image and
    filters."""
    n, h, w, k, p, q, c = (dim(loop) for loop in range(7))
    line, pixel = (h, w) if stride == 1 else (h * stride, w * stride)
    image = AffineMap(7, 0, (n, c, line + p, pixel + q))
    return [image, AffineMap(7, 0, (p, q, c, k))]


def winograd_line_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> WinogradLineAttr | None:
    """The layout of the filters of a convolution of few channels, such as the first one
    of a model, for Winograd's algorithm along lines.

    It needs whole vectors of output channels, and lines of whole tiles: a square of
    tiles is transposed at a time.
    """
    lanes = machine_of(target).vector_bits.data // 32
    if index != 1 or family != "window" or target.precision.data == "strict":
        return None
    stride = _stride(generic)
    if stride is None:
        return None
    lines, taps, channels, outputs = tensor_of(generic.inputs[1]).get_shape()
    length = _line_length(generic)
    if (
        line_taps(taps, stride) not in LINE_TAPS
        or lines * channels * stride < LEAST_TERMS
        or outputs % lanes
        or length % LINE_TILE
        or length < LINE_TILE**2 * stride
    ):
        return None
    width = next(v * lanes for v in (2, 3, 1) if outputs % (v * lanes) == 0)
    return WinogradLineAttr.get(stride, width)


def refuse_layout(
    generic: GenericOp, index: int, layout: WinogradLineAttr
) -> str | None:
    """Why the filters cannot have a layout of their shape for this algorithm."""
    stride = layout.stride.data
    if index != 1 or _stride(generic) != stride:
        return (
            f"it is no dense convolution of stride {stride} in float32 whose image has its"
            " channels one after the other"
        )
    length = _line_length(generic)
    if length % LINE_TILE or length < LINE_TILE**2 * stride:
        return (
            f"lines of {length} pixels are not {LINE_TILE * stride} or more whole tiles"
            f" of {LINE_TILE}"
        )
    return None


def _stride(generic: GenericOp) -> int | None:
    """The stride of a convolution of the right form; None for any other product."""
    maps, strides = maps_of(generic)[:2], (1, 2)
    stride = next((s for s in strides if maps == planar_convolution(s)), None)
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    is_single = {dtype_name(t.element_type) for t in types} == {"float32"}
    return stride if is_single and reads_whole(generic) else None


def _line_length(generic: GenericOp) -> int:
    """Pixels of a line of the result."""
    return tensor_of(generic.outputs[0]).get_shape()[2]
