"""When filters are packed for Winograd's algorithm."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineMap

from devproc.dialects.dev import TargetAttr, WinogradAttr
from devproc.ir.layouts.winograd import TAPS, TILES, points_of, tiles_of_a_block
from devproc.ir.program.structured import dim, maps_of, reads_whole
from devproc.ir.types import dtype_name, tensor_of
from devproc.targets.cpu.machine.attribute import machine_of

N, H, W, K, P, Q, C = (dim(loop) for loop in range(7))
NHWC_CONVOLUTION = [
    AffineMap(7, 0, (N, H + P, W + Q, C)),
    AffineMap(7, 0, (P, Q, C, K)),
]
"""The indexing maps of a dense convolution of stride 1: image and filters."""


def winograd_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> WinogradAttr | None:
    """The layout of the filters of a 3x3 convolution for Winograd's algorithm.

    It needs whole vectors of input and output channels, and pays if there are many.
    Tiles of 4 x 4 save most, unless the image is so small that they extend far beyond
    it.
    """
    lanes = machine_of(target).vector_bits.data // 32
    if target.precision.data == "strict" or not _is_taken(generic, index):
        return None
    filters, image = (tensor_of(generic.inputs[i]) for i in (1, 0))
    taps_h, taps_w, channels, outputs = filters.get_shape()
    height, width = (size - TAPS + 1 for size in image.get_shape()[1:3])
    if (
        (taps_h, taps_w) != (TAPS, TAPS)
        or channels % lanes
        or outputs % lanes
        or min(channels, outputs) < 2 * lanes
        or min(height, width) < 4
    ):
        return None
    panel = next(v * lanes for v in (3, 2, 1) if outputs % (v * lanes) == 0)
    sizes = sorted(TILES, key=lambda m: tiles_of(m, height, width) * points_of(m) ** 2)
    fitting = [m for m in sizes if tiles_of_a_block(m, channels, panel)]
    return WinogradAttr.get(fitting[0], panel) if fitting else None


def refuse_layout(generic: GenericOp, index: int, layout: WinogradAttr) -> str | None:
    """Why the filters cannot have a layout of their shape for this algorithm."""
    if _is_taken(generic, index):
        return None
    return "it is no dense convolution of stride 1 in float32 with channels last"


def _is_taken(generic: GenericOp, index: int) -> bool:
    """Whether an input is the filters of a convolution of the right form, of any
    size."""
    filters = tensor_of(generic.inputs[index])
    return (
        index == 1
        and maps_of(generic)[:2] == NHWC_CONVOLUTION
        and reads_whole(generic)
        and dtype_name(filters.element_type) == "float32"
    )


def tiles_of(size: int, height: int, width: int) -> int:
    """Tiles of size x size pixels that cover an image."""
    return -(-height // size) * -(-width // size)
