"""Plans a product: blocks of rows, slices of the reduction, groups of panels."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import StrassenAttr, TargetAttr
from devproc.dialects.sched import StrassenSchedule
from devproc.ir.layouts.strassen import BLOCKS, SIDE, slice_depths
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit, tile_rows
from devproc.targets.cpu.transforms.nests.linear_loops import (
    Product,
    products_with,
    weight_of,
)
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

BLOCK_ROWS = 104
"""Most rows of a block of the left matrix, within a block of rows. More rows mean more
work for each part of the weight that is read from memory."""

SCRATCH_BYTES = 768 * 1024
"""Bytes of a sum of blocks and of the results of a group of panels: less than an L2
cache, through which the weight is streamed, too."""


def match(kernel: KernelOps) -> Iterator[Product]:
    """The products of a kernel whose weight is stored as Strassen's sums of blocks."""
    return map(Product, products_with(kernel, StrassenAttr))


def plan(product: Product, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, or why no slice of the reduction is whole vectors."""
    weight = weight_of(product.nest, StrassenAttr)
    problem = _unreadable(weight, target)
    if problem is not None:
        return Refusal(problem)
    wide = machine_of(target).vector_bits.data // 32
    slices = slice_depths(product.depth // SIDE, wide)
    if not slices:
        return Refusal(
            f"no slice of {product.depth // SIDE} terms in whole vectors of {wide} suits"
        )
    block, slice_ = block_rows(product.rows), slices[-1]
    blocks = -(-product.rows // (SIDE * block))
    vectors = weight.width.data // wide
    split = RowSplit.balanced(block, tile_rows(vectors, target), vectors)
    panels, threads = panels_of(product), target.threads.data
    # As many panels as possible use a sum of blocks, if all threads have work.
    room = SCRATCH_BYTES - 4 * block * slice_
    one = 4 * len(BLOCKS) * block * weight.width.data
    group = max(
        (
            size
            for size in range(1, panels + 1)
            if panels % size == 0
            and size * one <= room
            and blocks * panels // size >= threads
        ),
        default=1,
    )
    is_split = grain_of(panels // group * blocks, 2 * product.nest.work, threads)
    schedule = StrassenSchedule(
        weight=weight,
        block=block,
        rows=split.height,
        slice=slice_,
        group=group,
        grain=is_split and 1,
    )
    why = (
        f"{product.rows} rows, blocks {blocks} x {SIDE} x {block}, rows {split.text};"
        f" {product.depth} terms, slices of {slice_}; groups {panels // group} x {group}"
    )
    return Choice(schedule, why)


def block_rows(rows: int) -> int:
    """Rows of each of the two blocks in a block of rows: the largest of those for which
    the last block of rows exceeds the matrix least."""
    half = -(-rows // SIDE)
    heights = range(min(BLOCK_ROWS, half), BLOCK_ROWS // 2 - 1, -1) or (half,)
    return min(heights, key=lambda height: -(-rows // (SIDE * height)) * height)


def panels_of(product: Product) -> int:
    """Panels of a column of blocks."""
    return product.columns // (SIDE * weight_of(product.nest, StrassenAttr).width.data)


def scratch(schedule: StrassenSchedule) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes of a sum of blocks, and of the results of a group of panels."""
    width, block = schedule.weight.width.data, schedule.block
    return (block, schedule.slice), (schedule.group, SIDE, SIDE, block, width)


def _unreadable(weight: StrassenAttr, target: TargetAttr) -> str | None:
    """Why this target cannot compute a product with this layout of the weight."""
    if target.precision.data == "strict":
        return "sums of blocks are not strict"
    wide = machine_of(target).vector_bits.data // 32
    if weight.width.data % wide:
        return f"panels of {weight.width.data} columns are no whole vectors of {wide}"
    return None


def refuse(
    product: Product, schedule: StrassenSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    weight = weight_of(product.nest, StrassenAttr)
    problem = _unreadable(weight, target)
    if problem is not None:
        return problem
    if schedule.weight != weight:
        return f"'weight' must be that of its memory, {weight}"
    if RowSplit.of(schedule.block, schedule.rows) is None:
        tiles = f"{schedule.rows} or {schedule.rows - 1}"
        return f"'rows': a block of {schedule.block} rows is not tiles of {tiles}"
    panels = panels_of(product)
    wide, terms = machine_of(target).vector_bits.data // 32, product.depth // SIDE
    if schedule.slice % wide:
        return f"'slice' must be whole vectors of {wide}"
    if terms % schedule.slice:
        return f"'slice' must divide {terms}, half of the terms"
    if panels % schedule.group:
        return f"'group' must divide the {panels} panels"
    return stack_problem(scratch(schedule))
