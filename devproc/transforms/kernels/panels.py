"""Panels: the layout in which a CPU kernel reads a weight front to back."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    KernelAttr,
    Layout,
    LayoutAttr,
    StrassenAttr,
    TargetAttr,
    WinogradAttr,
    WinogradLineAttr,
)
from devproc.ir.layouts.block_float import QUARTERS, WORD_BYTES, block_terms
from devproc.ir.layouts.inner_product import block_terms as inner_product_terms
from devproc.ir.layouts.inner_product import matrix_sizes
from devproc.ir.layouts.strassen import SIDE, slice_depths
from devproc.ir.layouts.winograd import (
    LINE_TAPS,
    LINE_TILE,
    TAPS,
    TILES,
    line_taps,
    points_of,
    tiles_of_a_block,
)
from devproc.ir.program.structured import (
    Generic,
    dim,
    is_multiply_add,
    is_parallel,
    maps_of,
)
from devproc.ir.types import dtype_name, is_float, item_size, tensor_of

FEW_ROWS = 1
"""Rows of a product that waits for its weight: with more, it has work meanwhile."""

CACHED_BYTES = 256 * 1024
"""A weight that stays in a core's own cache: between two tiles of rows, and perhaps until
the next call."""

LEAST_STRASSEN_ROWS = 64
"""Rows of a product that is worth reading 7/4 of its weight for 7/8 of the work."""

LEAST_PAIRED_ROWS = 12
"""Rows of a product that Winograd's inner product takes. With 8 the weight does not
come from memory in time: layers of 768 x 3072 take 1.13 times as long as without; with 12,
0.89 (Zen 4, one thread)."""

LEAST_PAIRED_OUTPUTS = 64
"""Outputs that are worth scaling the rows: copying one takes as long as 16 of them."""

LEAST_LINE_TERMS = 16
"""Products that make up a number at one point of a line: for few, transforms take longer."""

PACKED = ("contraction", "window", "bottleneck")
"""Families of kernels that read panels."""


N, H, W, K, P, Q, C = (dim(loop) for loop in range(7))
NHWC_CONVOLUTION = [
    AffineMap(7, 0, (N, H + P, W + Q, C)),
    AffineMap(7, 0, (P, Q, C, K)),
]
"""How a dense convolution of stride 1 reads its image and its filters."""


def planar_convolution(stride: int) -> list[AffineMap]:
    """How a dense convolution reads an image whose channels lie one behind the other, and
    its filters."""
    line, pixel = (H, W) if stride == 1 else (H * stride, W * stride)
    return [AffineMap(7, 0, (N, C, line + P, pixel + Q)), NHWC_CONVOLUTION[1]]


def panel_width(count: int, element_bytes: int, vector_bits: int) -> int:
    """Columns of a panel, of `count`: two vectors or three, so that a broadcast element of
    the other operand is used several times while it is in a register.

    Panels of one vector take up to a quarter more time. Where columns are an odd number of
    vectors, two would leave one to the last panel; three leave two, none, or one as well.
    """
    # f16 and bf16 are computed as f32: a panel holds whole vectors of accumulators.
    lanes = vector_bits // (8 * max(element_bytes, 4))
    vectors = -(-count // lanes)
    if vectors == 1:
        return lanes
    return (3 if vectors % 2 == 1 and vectors % 3 != 1 else 2) * lanes


def loops_of(map_: AffineMap) -> list[int | None]:
    """The loop behind each dimension; None for a broadcast one or a window."""
    return [e.position if isinstance(e, AffineDimExpr) else None for e in map_.results]


def panel_layout(
    generic: Generic, index: int, family: str, vector_bits: int
) -> LayoutAttr | None:
    """The layout of input `index` in panels of output columns; None if it has none.

    Columns are the one parallel loop that this input has for itself. Panels are
    outermost (behind batch dimensions), then the summed dimensions in the order of the
    loops, then the columns of the panel, so that a kernel reads it front to back.
    """
    maps, parallel = maps_of(generic), is_parallel(generic)
    mine, others = loops_of(maps[index]), maps[1 - index].used_dims()
    own = [loop for loop in mine if loop is not None and parallel[loop]]
    columns = [loop for loop in own if loop not in others]
    if len(columns) != 1 or None in mine:
        return None
    if family == "contraction" and columns[0] != sum(parallel) - 1:
        return None
    type_ = tensor_of(generic.inputs[index])
    axis = mine.index(columns[0])
    width = panel_width(
        type_.get_shape()[axis], item_size(type_.element_type), vector_bits
    )
    # By loop: batch loops, the columns, then the summed loops stand in this order.
    order = sorted(range(len(mine)), key=lambda d: mine[d] or 0)
    tiles = [width if d == axis else 1 for d in range(len(mine))]
    return LayoutAttr.get(order, tiles)


def winograd_layout(
    generic: Generic, index: int, target: TargetAttr
) -> WinogradAttr | None:
    """The layout of the filters of a 3x3 convolution that Winograd's algorithm takes.

    It needs whole vectors of channels on both sides, and pays where there are many. Tiles
    of 4 x 4 save most, unless the image is so small that much of them lies outside.
    """
    lanes = target.vector_bits.data // 32
    if index != 1 or target.precision.data == "strict":
        return None
    if maps_of(generic)[:2] != NHWC_CONVOLUTION:
        return None
    filters, image = (tensor_of(generic.inputs[i]) for i in (1, 0))
    taps_h, taps_w, channels, outputs = filters.get_shape()
    height, width = (size - TAPS + 1 for size in image.get_shape()[1:3])
    if (
        (taps_h, taps_w) != (TAPS, TAPS)
        or dtype_name(filters.element_type) != "float32"
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


def winograd_line_layout(
    generic: Generic, index: int, family: str, target: TargetAttr
) -> WinogradLineAttr | None:
    """The layout of the filters of a convolution of few channels, as the first one of a
    model is, that Winograd's algorithm takes along its lines.

    It needs whole vectors of output channels, and lines of whole tiles: a square of tiles
    is turned over at once.
    """
    lanes = target.vector_bits.data // 32
    if index != 1 or family != "window" or target.precision.data == "strict":
        return None
    maps, strides = maps_of(generic)[:2], (1, 2)
    stride = next((s for s in strides if maps == planar_convolution(s)), None)
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    if stride is None or {dtype_name(t.element_type) for t in types} != {"float32"}:
        return None
    lines, taps, channels, outputs = types[1].get_shape()
    length = types[2].get_shape()[2]
    if (
        line_taps(taps, stride) not in LINE_TAPS
        or lines * channels * stride < LEAST_LINE_TERMS
        or outputs % lanes
        or length % LINE_TILE
        or length < LINE_TILE**2 * stride
    ):
        return None
    width = next(v * lanes for v in (2, 3, 1) if outputs % (v * lanes) == 0)
    return WinogradLineAttr.get(stride, width)


def tiles_of(size: int, height: int, width: int) -> int:
    """Tiles of size x size pixels that cover an image."""
    return -(-height // size) * -(-width // size)


def linear_sizes(generic: Generic) -> tuple[int, int, int] | None:
    """Rows, outputs and inputs of a linear layer in float32 whose weight is its second
    input; None for any other product."""
    maps, loops = maps_of(generic), len(is_parallel(generic))
    *leading, n, k = (dim(loop) for loop in range(loops))
    linear = [(*leading, k), (n, k), (*leading, n)]
    if [map_.results for map_ in maps] != linear:
        return None
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    if {dtype_name(type_.element_type) for type_ in types} != {"float32"}:
        return None
    outputs, inputs = types[1].get_shape()
    return prod(types[0].get_shape()[:-1]), outputs, inputs


def strassen_layout(
    generic: Generic, index: int, target: TargetAttr
) -> StrassenAttr | None:
    """The layout of the weight of a linear layer that Strassen's algorithm takes.

    With `precision = "fast"` alone: a result's error is relative to all rows of a block,
    and so is what is not finite. It needs whole panels of every block, and pays where
    blocks are large.
    """
    sizes = linear_sizes(generic) if index == 1 else None
    if sizes is None or target.precision.data != "fast":
        return None
    rows, outputs, inputs = sizes
    lanes = target.vector_bits.data // 32
    if rows < LEAST_STRASSEN_ROWS or outputs * inputs < 512 * 512 or outputs < 256:
        return None
    # A second level gains little for 3 times the weight and 1.4 times the error; see
    # docs/schedules/strassen.md.
    widths = [v * lanes for v in (3, 2) if outputs % (SIDE * v * lanes) == 0]
    if not widths or inputs % SIDE or not slice_depths(inputs // SIDE, lanes):
        return None
    return StrassenAttr.get(widths[0])


def inner_product_layout(
    generic: Generic, index: int, family: str, target: TargetAttr
) -> InnerProductAttr | None:
    """The layout of the weight of a linear layer, or of the filters of a convolution with
    channels last, that Winograd's inner product takes.

    It needs additions that do not take the place of multiply-adds, and whole vectors of
    terms, which are scaled first.
    """
    if (
        index != 1
        or family not in ("contraction", "window")
        or target.precision.data == "strict"
        or not target.has_separate_adders
    ):
        return None
    maps, parallel = maps_of(generic), is_parallel(generic)
    loops = loops_of(maps[1])
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    column = loops[0] if len(loops) == 2 else loops[-1]
    sums = [loop for loop in range(len(parallel)) if not parallel[loop]]
    if (
        column is None
        or {dtype_name(t.element_type) for t in types} != {"float32"}
        or [loop for loop in loops if loop != column] != sums
        or column in maps[0].used_dims()
        or maps[0].results[-1:] != (dim(sums[-1]),)
        or maps[2].results[-1:] != (dim(column),)
    ):
        return None
    outputs, inputs = matrix_sizes(types[1].get_shape())
    rows = prod(types[2].get_shape()) // outputs
    lanes = target.vector_bits.data // 32
    terms = inner_product_terms(inputs, lanes)
    if (
        rows < LEAST_PAIRED_ROWS
        or outputs < LEAST_PAIRED_OUTPUTS
        or not terms
        or types[0].get_shape()[-1] % lanes
    ):
        return None
    return InnerProductAttr.get(lanes, terms)


def block_float_layout(
    generic: Generic, index: int, family: str, target: TargetAttr
) -> BlockFloatAttr | None:
    """The layout of the weight of a linear layer that waits for it: few rows use each of
    its numbers, and it is too large for a core's own cache.

    Not with `precision = "strict"`, nor with vectors of less than 512 bits: to unpack them
    takes longer than to wait.
    """
    sizes = linear_sizes(generic) if index == 1 else None
    if (
        sizes is None
        or family != "contraction"
        or target.precision.data == "strict"
        or target.vector_bits.data < 512
    ):
        return None
    rows, outputs, inputs = sizes
    terms = block_terms(inputs)
    # A vector for each quarter. Of less than a panel, as many words as numbers are loaded.
    width = QUARTERS * target.vector_bits.data // (8 * WORD_BYTES)
    if (
        rows > FEW_ROWS
        or outputs < width
        or WORD_BYTES * outputs * inputs <= CACHED_BYTES
        or terms is None
    ):
        return None
    return BlockFloatAttr.get(width, terms)


def packable(kernel: FuncOp, target: TargetAttr) -> Iterator[tuple[int, Layout]]:
    """Arguments of a kernel that would gain from a layout, and the layout."""
    mark = kernel.attributes.get("dev.kernel")
    assert isinstance(mark, KernelAttr)
    if mark.device.data != "cpu" or mark.family.data not in PACKED:
        return
    for op in kernel.body.block.ops:
        if not isinstance(op, Generic) or not is_multiply_add(op):
            continue
        for index in (1, 0):
            value = op.inputs[index]
            if (
                isinstance(value, BlockArgument)
                and value.uses.get_length() == 1
                and is_float(tensor_of(value).element_type)
                and 0 not in tensor_of(value).get_shape()
            ):
                layout = (
                    winograd_layout(op, index, target)
                    or winograd_line_layout(op, index, mark.family.data, target)
                    or inner_product_layout(op, index, mark.family.data, target)
                    or strassen_layout(op, index, target)
                    or block_float_layout(op, index, mark.family.data, target)
                    or panel_layout(
                        op, index, mark.family.data, target.vector_bits.data
                    )
                )
                if layout is not None:
                    yield value.index, layout
                    break
