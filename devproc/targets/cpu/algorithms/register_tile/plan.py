"""Plans a contraction: the size of a tile, the order of loops around it, prefetches."""

from __future__ import annotations

from math import prod

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import LayoutAttr, TargetAttr
from devproc.dialects.sched import BlockFloatSchedule, RegisterTileSchedule
from devproc.dialects.sched.contraction import MOST_VECTORS
from devproc.ir.types import item_size
from devproc.targets.cpu.algorithms.register_tile.axes import (
    Axes,
    axes_of,
    outer_loops,
    split_of,
)
from devproc.targets.cpu.algorithms.register_tile.cache_blocking import CacheBlocking
from devproc.targets.cpu.algorithms.register_tile.roles import Roles
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit, tile_rows
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.prefetch import PanelStream, large_results

ACCUMULATORS = 8
"""Independent sums that hide the latency of a fused multiply-add."""

BLOCK = 64
"""Terms that one accumulator sums before it is added to an outer one.

The outer ones may be spilled: models take half a percent longer than with 256 terms,
and a linear layer of 768 has 0.6 of the error. PyTorch, too, may use blocks of a few
dozen.
"""

ROWS_OUTSIDE = ("window", "bottleneck")
"""Families in which the loop over panels is inside that over rows, unless packed."""


def plan(roles: Roles, family: str, target: TargetAttr) -> Decision:
    """The schedule of a contraction, or why its panels do not suit register tiles."""
    schedule = schedule_of(roles, family, target)
    if isinstance(schedule, Refusal):
        return schedule
    return Choice(schedule, reason(roles, schedule.rows, schedule.vectors, target))


def schedule_of(
    roles: Roles, family: str, target: TargetAttr
) -> RegisterTileSchedule | Refusal:
    """The schedule itself."""
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    width = roles.panel or _unpacked_width(roles.columns, lanes)
    if width % lanes or width > MOST_VECTORS * lanes:
        return Refusal(
            f"its panels of {width} columns are not 1 to 4 vectors of {lanes}"
        )
    vectors = width // lanes
    rows = tile_height(roles, vectors, target)
    weight = roles.weight
    schedule = RegisterTileSchedule(
        weight=weight if isinstance(weight, LayoutAttr) else None,
        rows=rows,
        vectors=vectors,
        order="rows" if family in ROWS_OUTSIDE and not roles.panel else "panels",
        cut=None,
        block=BLOCK,
        accumulators=ACCUMULATORS,
        prefetch_panel=False,
        prefetch_results=() if roles.row is None else large_results(roles.nest),
        spread=0,
        grain=None,
    )
    return with_loops(roles, schedule, target)


def with_loops(
    roles: Roles, schedule: RegisterTileSchedule, target: TargetAttr
) -> RegisterTileSchedule:
    """A schedule completed by the loops around its tiles: blocks, prefetches of panels,
    and threads."""
    lanes, threads = (
        roles.lanes(machine_of(target).vector_bits.data),
        target.threads.data,
    )
    width = schedule.vectors * lanes
    if schedule.order == "panels":
        panels = -(-roles.columns // width)
        cut = CacheBlocking(roles, *outer_loops(roles), panels, threads).cut()
        schedule = schedule.replace(cut=cut and (cut.place, cut.blocks))
    axes = axes_of(roles, schedule, lanes)
    stream, level = panel_stream(roles, width), machine_of(target).prefetch_level.data
    prefetches = stream is not None and stream.pays(axes.tiles, schedule.rows, level)
    spread, grain = shares(roles, axes, threads)
    return schedule.replace(prefetch_panel=prefetches, spread=spread, grain=grain)


def reason(roles: Roles, rows: int, vectors: int, target: TargetAttr) -> str:
    """The reason for the size of the tiles, with numbers."""
    tiles = split_of(roles, rows).text
    registers = machine_of(target).vector_registers.data
    return (
        f"{roles.rows} = {tiles} rows; {rows * vectors} sums fit {registers} registers"
    )


def tile_height(roles: Roles, vectors: int, target: TargetAttr) -> int:
    """Rows of a tile."""
    most, packed = most_rows(roles, vectors, target), roles.packed_rows
    if packed is None:
        return RowSplit.balanced(roles.rows, most, vectors).height
    return max(h for h in range(1, most + 1) if packed % h == 0)


def shares(roles: Roles, axes: Axes, threads: int) -> tuple[int, int | None]:
    """How many loops are spread over threads, and the iterations of a chunk."""
    spread, count = 0, 1
    while spread < axes.parallel and count < 4 * threads:
        count *= axes.axes[spread].size
        spread += 1
    grain = grain_of(count, 2 * roles.nest.work, threads)
    return (0, None) if grain is None else (spread, grain)


def panel_stream(roles: Roles, width: int) -> PanelStream | None:
    """The panels of a packed rhs that is read sequentially; None for any other."""
    nest = roles.nest
    if roles.panel is None or len(nest.reductions) != 1:
        return None
    depth, panels = nest.sizes[nest.reductions[0]], -(-roles.columns // width)
    steps = -(-depth // roles.together)
    size = steps * roles.together * width
    stream = PanelStream(roles.rhs.operand.value, panels, size, steps)
    return stream if stream.is_whole else None


def _unpacked_width(columns: int, lanes: int) -> int:
    """Columns of a panel, given the loads of the rhs."""
    needed = -(-columns // lanes)
    return min(3 if needed % 3 == 0 else 2, needed) * lanes


def most_rows(roles: Roles, vectors: int, target: TargetAttr) -> int:
    """Rows whose sums fit the registers, and whose factors fit a cache set."""
    most = tile_rows(vectors, target)
    operand = roles.lhs.operand
    stride = operand.stride(roles.row) if roles.row is not None else 0
    if stride and stride * item_size(memref_of(operand.value).element_type) % 4096 == 0:
        # All rows map to one cache set, which holds eight lines.
        return min(most, 8)
    return most


def refuse(
    roles: Roles, schedule: RegisterTileSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a contraction."""
    lanes = roles.lanes(machine_of(target).vector_bits.data)
    width = schedule.vectors * lanes
    if schedule.weight != roles.weight:
        return f"'weight' must be that of its memory, {roles.weight or 'none'}"
    if roles.panel not in (None, width):
        return (
            f"'vectors' must make up a panel of {roles.panel} columns, of {lanes} each"
        )
    problem = refuse_rows(roles, schedule)
    if problem is not None:
        return problem
    places = len(outer_loops(roles)[1]) + 1
    if schedule.cut is not None and schedule.cut[0] >= places:
        return f"'cut' must be at a place below {places}, the loops around a tile"
    if schedule.prefetch_panel and panel_stream(roles, width) is None:
        return "'prefetch_panel' needs packed columns whose panels are read in order"
    return refuse_spread(schedule, axes_of(roles, schedule, lanes))


def refuse_rows(
    roles: Roles, schedule: RegisterTileSchedule | BlockFloatSchedule
) -> str | None:
    """Why the rows of the tiles, or the results that these prefetch, are not legal."""
    packed, rows, results = roles.packed_rows, schedule.rows, roles.nest.results
    if packed is not None and packed % rows:
        return f"'rows' must divide a panel of {packed} rows"
    if packed is None and RowSplit.of(roles.rows, rows) is None:
        return f"'rows': {roles.rows} rows are not tiles of {rows} or {rows - 1}"
    if schedule.prefetch_results and roles.row is None:
        return "'prefetch_results' must be empty where there is no loop over rows"
    if any(number >= len(results) for number in schedule.prefetch_results):
        return f"'prefetch_results' must be numbers of results, of which there are {len(results)}"
    return None


def refuse_spread(
    schedule: RegisterTileSchedule | BlockFloatSchedule, axes: Axes
) -> str | None:
    """Why the parallel loops are not legal."""
    if schedule.spread > axes.parallel:
        return (
            f"'spread' must be at most {axes.parallel}, the loops that may be parallel"
        )
    if schedule.spread and prod(axes.sizes[: schedule.spread]) == 1:
        return f"'spread': the first {schedule.spread} loops have one iteration"
    return None
