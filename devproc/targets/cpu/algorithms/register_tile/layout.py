"""The panels of a weight that a register tile reads sequentially."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.ir.program.structured import is_parallel, loops_of, maps_of
from devproc.ir.types import item_size, tensor_of
from devproc.targets.cpu.machine.attribute import machine_of

FAMILIES = ("contraction", "window")
"""Families of kernels whose anchors are contractions."""


def panel_width(count: int, element_bytes: int, vector_bits: int) -> int:
    """Columns of a panel, of `count` in all: two or three vectors, so that a broadcast
    element of the other operand is reused while it is in a register.

    Panels of one vector take up to a quarter more time. If the columns are an odd
    number of vectors, panels of two leave one for the last panel; panels of three
    rarely do.
    """
    # f16 and bf16 are computed as f32: a panel holds whole vectors of accumulators.
    lanes = vector_bits // (8 * max(element_bytes, 4))
    vectors = -(-count // lanes)
    if vectors == 1:
        return lanes
    return (3 if vectors % 2 == 1 and vectors % 3 != 1 else 2) * lanes


def panel_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> LayoutAttr | None:
    """The layout of input `index` in panels of output columns; None if it has none.

    Columns are the one parallel loop that indexes this input alone. Panels are
    outermost (after batch dimensions), then the reduction dimensions in the order of
    the loops, then the columns of the panel, so that a kernel reads the weight
    sequentially.
    """
    axis = _column_axis(generic, index)
    if family not in FAMILIES or axis is None:
        return None
    column = loops_of(generic, index)[axis]
    if family == "contraction" and column != sum(is_parallel(generic)) - 1:
        return None
    type_ = tensor_of(generic.inputs[index])
    size, element_bytes = type_.get_shape()[axis], item_size(type_.element_type)
    width = panel_width(size, element_bytes, machine_of(target).vector_bits.data)
    return _in_panels(generic, index, axis, width)


def refuse_layout(generic: GenericOp, index: int, layout: LayoutAttr) -> str | None:
    """Why a weight cannot have a layout with this many dimensions."""
    axis = _column_axis(generic, index)
    if axis is None:
        return (
            "'weight' must be none: no loop of the result is that of one weight alone"
        )
    wanted = _in_panels(generic, index, axis, layout.tile_sizes[axis])
    if layout == wanted and layout.tile_sizes[axis] > 1:
        return None
    return f"'weight' must be in panels along dimension {axis}, such as {wanted}"


def _column_axis(generic: GenericOp, index: int) -> int | None:
    """The dimension of input `index` that is its columns; None if it has none."""
    maps, parallel = maps_of(generic), is_parallel(generic)
    mine, others = loops_of(generic, index), maps[1 - index].used_dims()
    own = [loop for loop in mine if loop is not None and parallel[loop]]
    columns = [loop for loop in own if loop not in others]
    if len(columns) != 1 or None in mine:
        return None
    return mine.index(columns[0])


def _in_panels(generic: GenericOp, index: int, axis: int, width: int) -> LayoutAttr:
    """The layout of input `index` in panels along one of its dimensions."""
    mine = loops_of(generic, index)
    # Dimensions in the order of loops: batch, columns, then reductions.
    order = sorted(range(len(mine)), key=lambda d: mine[d] or 0)
    tiles = [width if d == axis else 1 for d in range(len(mine))]
    return LayoutAttr.get(order, tiles)
