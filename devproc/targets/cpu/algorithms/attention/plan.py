"""Plans an attention: its tiles, how keys and masks are read, how threads share it."""

from __future__ import annotations

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import AttentionSchedule
from devproc.targets.cpu.algorithms.attention.nest import Attention, heights_of
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit, tile_rows

BLOCK = 64
"""Weighted values that one accumulator sums: as many as terms in a contraction."""

LEAST_TILES, LEAST_PANELS = 3, 2
"""With fewer of either, skipping masked panels does not pay."""

MOST_VECTORS = 8
"""Vectors of values for a single query: they hide the latency of a multiply-add."""


def plan(nest: Attention, family: str, target: TargetAttr) -> Decision:
    """The schedule of an attention; never a refusal."""
    lanes = machine_of(target).vector_bits.data // 32
    vectors = -(-nest.keys // lanes)
    # Whichever wastes fewer lanes.
    side = min((2, 3), key=lambda n: -(-vectors // n) * n)
    tiles = RowSplit.balanced(nest.queries, tile_rows(side, target), side)
    has_hidden = (
        nest.mask is not None
        and -(-vectors // side) >= LEAST_PANELS
        and tiles.count >= LEAST_TILES
    )
    chunks, grain = _shares(nest, tiles, target.threads.data)
    schedule = AttentionSchedule(
        keys="panels" if nest.queries > 1 else "rows",
        side=side,
        rows=tiles.height,
        mask="skip" if has_hidden else "apply",
        mix=tuple(_mixed_vectors(nest, rows, target) for rows in heights_of(tiles)),
        block=BLOCK,
        chunks=chunks,
        grain=grain,
    )
    registers = machine_of(target).vector_registers.data
    sums = f"{tiles.height * side} sums fit {registers} registers"
    return Choice(schedule, f"{nest.queries} = {tiles.text} queries; {sums}")


def _mixed_vectors(nest: Attention, rows: int, target: TargetAttr) -> int:
    """Vectors of values in a tile of this many queries."""
    fitting = (n for n in (3, 2) if tile_rows(n, target) >= rows)
    most = MOST_VECTORS if rows == 1 else next(fitting, 1)
    return min(most, -(-nest.values * 32 // machine_of(target).vector_bits.data))


def _shares(nest: Attention, tiles: RowSplit, threads: int) -> tuple[int, int | None]:
    """The parts of a head, and the grain: with few heads, threads share their tiles."""
    chunks = min(threads, tiles.tall) if nest.heads < threads else 1
    grain = grain_of(nest.heads * chunks, nest.work, threads)
    return (1, None) if grain is None else (chunks, 1)


def refuse(
    nest: Attention, schedule: AttentionSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for an attention."""
    rows = schedule.rows
    tiles = RowSplit.of(nest.queries, rows)
    if tiles is None:
        return f"'rows': {nest.queries} queries are not tiles of {rows} or {rows - 1}"
    kinds = len(heights_of(tiles))
    if len(schedule.mix) != kinds:
        return f"'mix' must have {kinds} numbers, one for each height of {tiles.text}"
    if schedule.mask == "skip" and nest.mask is None:
        return (
            "'mask' must be apply: no bools, contiguous along the keys, decide between a"
            " score and minus infinity"
        )
    if schedule.grain is not None and nest.heads * schedule.chunks == 1:
        return "'grain' must be none: one head in one part is one chunk of work"
    return None
