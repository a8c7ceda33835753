"""Plans a convolution: the lines of a block, and the rows of a register tile."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import TargetAttr, WinogradLineAttr
from devproc.dialects.sched import WinogradLineSchedule
from devproc.ir.layouts.winograd import LINE_TILE
from devproc.targets.cpu.algorithms.winograd_line.lines import H, Lines, N
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit, tile_rows
from devproc.targets.cpu.transforms.nests.linear_loops import products_with
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

BLOCK_BYTES = 192 * 1024
"""Bytes of a block's transformed lines, which fit an L2 cache alongside filters and
products. Neighbouring blocks both transform a few lines."""


def match(kernel: KernelOps) -> Iterator[Lines]:
    """The convolutions of a kernel whose filters are stored as transforms of their
    lines."""
    return map(Lines, products_with(kernel, WinogradLineAttr))


def plan(lines: Lines, family: str, target: TargetAttr) -> Decision:
    """The schedule of a convolution, or why its filters cannot be read."""
    problem = _unreadable(lines, target)
    if problem is not None:
        return Refusal(problem)
    vectors = lines.width // lines.lanes(target)
    split = RowSplit.balanced(lines.tiles, tile_rows(vectors, target), vectors)
    block, grain = _block(lines, target.threads.data)
    schedule = WinogradLineSchedule(
        weight=lines.weight, lines=block, rows=split.height, grain=grain
    )
    count = lines.nest.sizes[H]
    why = (
        f"{count} lines, blocks {-(-count // block)} x {block}; {lines.tiles} tiles of"
        f" {LINE_TILE} in a line, rows {split.text};"
        f" {lines.points} products for {LINE_TILE * lines.taps}"
    )
    return Choice(schedule, why)


def _block(lines: Lines, threads: int) -> tuple[int, int | None]:
    """Lines of a block, and the grain."""
    nest, count = lines.nest, lines.nest.sizes[H]
    one = 4 * lines.points * lines.depth * lines.tiles
    most = max(1, (BLOCK_BYTES // one - lines.shared) // lines.stride)
    blocks = -(-count // most)
    images = nest.sizes[N]
    grain = grain_of(images * blocks, nest.work // 2, threads)
    if grain is not None:
        while images * blocks % threads and blocks < count:
            blocks += 1
    return -(-count // blocks), grain and 1


def _unreadable(lines: Lines, target: TargetAttr) -> str | None:
    """Why this target cannot compute a convolution with this layout of the filters."""
    if target.precision.data == "strict":
        return "transforms are not strict"
    lanes = lines.lanes(target)
    if lines.width % lanes:
        return f"panels of {lines.width} channels are no whole vectors of {lanes}"
    return None


def refuse(
    lines: Lines, schedule: WinogradLineSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a convolution."""
    problem = _unreadable(lines, target)
    if problem is not None:
        return problem
    if schedule.weight != lines.weight:
        return f"'weight' must be that of its memory, {lines.weight}"
    if RowSplit.of(lines.tiles, schedule.rows) is None:
        tiles = f"{schedule.rows} or {schedule.rows - 1}"
        return f"'rows': the {lines.tiles} tiles of a line are not tiles of {tiles}"
    return stack_problem(lines.scratch(schedule.lines))
