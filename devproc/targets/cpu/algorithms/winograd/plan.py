"""Plans a convolution: blocks of tiles, register tiles, transformed filters."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import TargetAttr, WinogradAttr
from devproc.dialects.sched import WinogradSchedule
from devproc.ir.layouts.winograd import TAPS, depth_of_a_part, tiles_of_a_block
from devproc.targets.cpu.algorithms.winograd.convolution import Convolution
from devproc.targets.cpu.algorithms.winograd.tiles import TileGrid, TileLine
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import (
    LEAST_ACCUMULATORS,
    RowSplit,
    tile_rows,
)
from devproc.targets.cpu.transforms.nests.linear_loops import products_with
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

LEAST_TO_SKIP = 8
"""Sums of a register tile, if tiles of one height let the first points of lines and
columns skip rows, which saves more than a few more sums would."""

MOSTLY = 0.75
"""Lowest fill of blocks of whole images, since each block transforms all filters."""

PARTS_AHEAD = 1
"""Parts between the filters that are prefetched and those in use; two leave too little
of an L1 cache of 32 KB."""


def match(kernel: KernelOps) -> Iterator[Convolution]:
    """The convolutions of a kernel whose filters are stored for their transforms."""
    return map(Convolution, products_with(kernel, WinogradAttr))


def plan(convolution: Convolution, family: str, target: TargetAttr) -> Decision:
    """The schedule of a convolution, or why its filters cannot be read."""
    problem = _unreadable(convolution, target)
    if problem is not None:
        return Refusal(problem)
    size, width = convolution.size, convolution.width
    lanes, registers = (
        convolution.lanes(target),
        machine_of(target).vector_registers.data,
    )
    most = tiles_of_a_block(size, convolution.channels, width)
    lines, columns = convolution.lines, convolution.columns
    grid = grid_of(convolution.images, lines, columns, max(1, most))
    vectors = width // lanes
    least = LEAST_TO_SKIP if grid.by_need else LEAST_ACCUMULATORS
    split = RowSplit.balanced(grid.block, tile_rows(vectors, target), vectors, least)
    is_few = are_few(grid.block, convolution.points, registers)
    groups, grain = _shares(convolution, grid.blocks, target.threads.data)
    schedule = WinogradSchedule(
        weight=convolution.weight,
        block=grid.block,
        by_need=grid.by_need,
        rows=split.height,
        depth=depth_of_a_part(convolution.channels, lanes),
        filters="registers" if is_few else "scratch",
        prefetch=PARTS_AHEAD,
        groups=groups,
        grain=grain,
    )
    why = (
        f"{grid.count} tiles of {size} x {size}, blocks {grid.blocks} x {grid.block}, rows"
        f" {split.text}; {convolution.points**2} products for {(TAPS * size) ** 2}"
    )
    return Choice(schedule, why)


def grid_of(images: int, lines: TileLine, columns: TileLine, most: int) -> TileGrid:
    """Tiles in blocks of at most `most`; blocks of whole images if they are full
    enough."""
    each = lines.count * columns.count
    is_late = lines.late > 0 or columns.late > 0
    whole = [n for n in range(1, images + 1) if images % n == 0 and n * each <= most]
    if is_late and whole and MOSTLY * min(most, images * each) <= whole[-1] * each:
        return TileGrid(images, lines, columns, whole[-1] * each, True)
    blocks = -(-images * each // most)
    return TileGrid(images, lines, columns, -(-images * each // blocks), False)


def are_few(tiles: int, points: int, registers: int) -> bool:
    """Whether the sums of these tiles at a line of points fit registers together with
    the filters' transforms there: storing these would take as long as multiplying
    them."""
    return points * (tiles + 1) + 2 <= registers


def _shares(
    convolution: Convolution, blocks: int, threads: int
) -> tuple[int, int | None]:
    """The groups of panels, if there are few blocks, and the grain."""
    groups = 1
    if blocks % threads and blocks < 2 * threads:
        panels = convolution.panels
        groups = max(g for g in range(1, threads + 1) if panels % g == 0)
    work = 2 * convolution.nest.work // convolution.size
    grain = grain_of(blocks * groups, work, threads)
    return (1, None) if grain is None else (groups, 1)


def _unreadable(convolution: Convolution, target: TargetAttr) -> str | None:
    """Why this target cannot compute a convolution with this layout of the filters."""
    if target.precision.data == "strict":
        return "transforms are not strict"
    lanes = convolution.lanes(target)
    for what, count in (
        ("panels", convolution.width),
        ("images", convolution.channels),
    ):
        if count % lanes:
            return f"{what} of {count} channels are no whole vectors of {lanes}"
    return None


def refuse(
    convolution: Convolution, schedule: WinogradSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a convolution."""
    problem = _unreadable(convolution, target)
    if problem is not None:
        return problem
    if schedule.weight != convolution.weight:
        return f"'weight' must be that of its memory, {convolution.weight}"
    block, lanes = schedule.block, convolution.lanes(target)
    each = convolution.lines.count * convolution.columns.count
    if schedule.by_need and (block % each or convolution.images * each % block):
        return (
            f"'by_need': a block of {block} tiles is not whole images of {each}, or"
            f" leaves some of the {convolution.images} images"
        )
    if RowSplit.of(block, schedule.rows) is None:
        tiles = f"{schedule.rows} or {schedule.rows - 1}"
        return f"'rows': a block of {block} tiles is not register tiles of {tiles}"
    if schedule.depth % lanes or convolution.channels % schedule.depth:
        channels = convolution.channels
        return (
            f"'depth' must be whole vectors of {lanes} and divide {channels} channels"
        )
    if convolution.panels % schedule.groups:
        return f"'groups' must divide the {convolution.panels} panels"
    return stack_problem(convolution.scratch(schedule, lanes))
