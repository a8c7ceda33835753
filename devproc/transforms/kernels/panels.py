"""Panels: the layout in which a CPU kernel reads a weight front to back."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.dialects.dev import KernelAttr, LayoutAttr
from devproc.ir.structured import Generic, is_multiply_add, is_parallel, maps_of
from devproc.ir.types import is_float, item_size, tensor_of

VECTORS = (2, 3, 1)
"""Vectors of a panel, in order of preference: with 2 or 3, a broadcast element of the
other operand is used several times while it is in a register."""


def panel_width(count: int, element_bytes: int, vector_bits: int) -> int:
    """Columns of a panel: the vectors that waste the least of `count` columns."""
    # f16 and bf16 are computed as f32: a panel holds whole vectors of accumulators.
    lanes = vector_bits // (8 * max(element_bytes, 4))
    widths = [vectors * lanes for vectors in VECTORS]
    return min(widths, key=lambda width: -(-count // width) * width)


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


def packable(kernel: FuncOp, vector_bits: int) -> Iterator[tuple[int, LayoutAttr]]:
    """Arguments of a kernel that would gain from a layout, and the layout."""
    mark = kernel.attributes.get("dev.kernel")
    assert isinstance(mark, KernelAttr)
    if mark.device.data != "cpu" or mark.family.data not in ("contraction", "window"):
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
                layout = panel_layout(op, index, mark.family.data, vector_bits)
                if layout is not None:
                    yield value.index, layout
                    break
