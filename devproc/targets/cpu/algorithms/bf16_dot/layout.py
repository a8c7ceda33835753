"""When a weight of bf16 is stored in pairs of terms."""

from __future__ import annotations

from xdsl.dialects.linalg.ops import GenericOp

from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.ir.program.structured import is_parallel, loops_of, maps_of
from devproc.ir.types import dtype_name, tensor_of
from devproc.targets.cpu.algorithms.register_tile.layout import FAMILIES, panel_width
from devproc.targets.cpu.machine.attribute import machine_of

PAIR = 2
"""Adjacent terms of a column."""

FEW_REGISTERS = 16
"""With this many registers or fewer, tiles are limited to two vectors: widened pairs
take four."""


def pair_layout(
    generic: GenericOp, index: int, family: str, target: TargetAttr
) -> LayoutAttr | None:
    """The layout of the weight of a bf16 linear layer, or of the filters of a
    convolution with channels last: the panels of a register tile, with terms in
    pairs."""
    if family not in FAMILIES or not _is_taken(generic, index):
        return None
    columns, _ = _axes(generic)
    size = tensor_of(generic.inputs[1]).get_shape()[columns]
    width = panel_width(size, 2, machine_of(target).vector_bits.data)
    if machine_of(target).vector_registers.data <= FEW_REGISTERS:
        width = min(width, 2 * machine_of(target).vector_bits.data // 32)
    return _in_pairs(generic, width)


def refuse_layout(generic: GenericOp, index: int, layout: LayoutAttr) -> str | None:
    """Why the weight cannot have a layout with this many dimensions."""
    if not _is_taken(generic, index):
        return "it is no linear layer or convolution in bf16 with channels last"
    width = layout.tile_sizes[_axes(generic)[0]]
    if layout == _in_pairs(generic, width) and width > 1:
        return None
    example = _in_pairs(generic, max(width, 4))
    return f"'weight' must be in panels of pairs, such as {example}"


def _is_taken(generic: GenericOp, index: int) -> bool:
    """Whether an input is a bf16 weight on the right, whose innermost reduction is
    contiguous in the left factor and whose columns are contiguous in the result."""
    if index != 1:
        return False
    maps, parallel = maps_of(generic), is_parallel(generic)
    types = [tensor_of(value) for value in (*generic.inputs, *generic.outputs)]
    dtypes = [dtype_name(type_.element_type) for type_ in types]
    loops, column = loops_of(generic, 1), loops_of(generic, 2)[-1]
    sums = [loop for loop, is_row in enumerate(parallel) if not is_row]
    if dtypes != ["bfloat16", "bfloat16", "float32"] or column is None or not sums:
        return False
    return (
        sorted(loop for loop in loops if loop is not None) == [column, *sums]
        and len(loops) == len(sums) + 1
        and column not in maps[0].used_dims()
        and loops_of(generic, 0)[-1] == sums[-1]
        and all(types[1].get_shape()[axis] > 1 for axis in _axes(generic))
    )


def _axes(generic: GenericOp) -> tuple[int, int]:
    """The dimensions of the weight that are its columns and its paired terms."""
    parallel, loops = is_parallel(generic), loops_of(generic, 1)
    last = max(loop for loop, is_row in enumerate(parallel) if not is_row)
    return loops.index(loops_of(generic, 2)[-1]), loops.index(last)


def _in_pairs(generic: GenericOp, width: int) -> LayoutAttr:
    """Panels outermost, then the reduction loops in order; within a panel its columns,
    each with a pair of terms."""
    columns, terms = _axes(generic)
    loops = loops_of(generic, 1)
    order = sorted(range(len(loops)), key=lambda axis: loops[axis] or 0)
    tiles = [1] * len(loops)
    tiles[columns], tiles[terms] = width, PAIR
    return LayoutAttr.get(order, tiles)
