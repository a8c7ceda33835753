"""Panels: the layout in which a CPU kernel reads a weight front to back."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from devproc.algorithms.inner_product.layout import inner_product_layout
from devproc.algorithms.strassen.layout import strassen_layout
from devproc.algorithms.winograd.layout import winograd_layout
from devproc.algorithms.winograd_line.layout import winograd_line_layout
from devproc.dialects.dev import (
    BlockFloatAttr,
    KernelAttr,
    Layout,
    LayoutAttr,
    TargetAttr,
)
from devproc.ir.cpus import CACHED_BYTES
from devproc.ir.layouts.block_float import QUARTERS, WORD_BYTES, block_terms
from devproc.ir.program.structured import (
    Generic,
    is_multiply_add,
    is_parallel,
    linear_sizes,
    loops_of,
    maps_of,
)
from devproc.ir.types import is_float, item_size, tensor_of

FEW_ROWS = 1
"""Rows of a product that waits for its weight: with more, it has work meanwhile."""

PACKED = ("contraction", "window", "bottleneck")
"""Families of kernels that read panels."""


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
                family = mark.family.data
                layout = (
                    winograd_layout(op, index, family, target)
                    or winograd_line_layout(op, index, family, target)
                    or inner_product_layout(op, index, family, target)
                    or strassen_layout(op, index, family, target)
                    or block_float_layout(op, index, family, target)
                    or panel_layout(op, index, family, target.vector_bits.data)
                )
                if layout is not None:
                    yield value.index, layout
                    break
