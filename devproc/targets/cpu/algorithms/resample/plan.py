"""Plans a resampling: by rows or columns, vectors, pairs of taps, threads."""

from __future__ import annotations

from math import prod

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ResampleSchedule
from devproc.targets.cpu.algorithms.resample.tap_columns import ROWS, SLOTS
from devproc.targets.cpu.algorithms.resample.tap_sum import TapSum
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import body_work, grain_of

FEW = 8
"""Fewest adjacent elements with the same taps for which whole rows are resampled."""

VECTORS = 4
"""Vectors of a tile; a tap is loaded once for all of them."""


def plan(taps: TapSum, family: str, target: TargetAttr) -> Decision:
    """The schedule for columns of byte pixels or for rows of many elements."""
    if is_better_fused(taps):
        return Refusal("its float sums can stay in registers for the op after it")
    shape, threads = taps.shape, target.threads.data
    work = sum(map(body_work, taps.nest.bodies)) * prod(shape)
    before, count = prod(shape[: taps.axis]), shape[taps.axis]
    if columns_problem(taps) is None:
        schedule = ResampleSchedule(
            way="columns",
            vectors=1,
            # With 128 bits (NEON) a product of pairs takes more instructions than two
            # multiply-adds.
            pairs=taps.in_pairs and machine_of(target).vector_bits.data > 128,
            grain=grain_of(before // ROWS, work, threads),
        )
        pixels = f"pixels of {taps.inner} bytes"
        return Choice(schedule, f"{pixels}, {ROWS} of {before} rows at a time")
    if taps.row_axis is not None:
        return Refusal("its rows are selected by a list")
    if taps.inner < FEW:
        return Refusal(f"{taps.inner} neighbours have the same taps, not {FEW}")
    grain = grain_of(before * count, work, threads)
    schedule = ResampleSchedule(way="rows", vectors=VECTORS, pairs=False, grain=grain)
    return Choice(schedule, f"{taps.inner} neighbours have the same {shape[-1]} taps")


def refuse(taps: TapSum, schedule: ResampleSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a resampling."""
    if schedule.way == "rows":
        if taps.row_axis is not None:
            return "'way' must be columns: a list selects the rows"
        return None
    problem = columns_problem(taps)
    if problem is not None:
        return f"'way' must be rows: {problem}"
    if schedule.pairs and not taps.in_pairs:
        return "'pairs' must be no: taps are no integers of 16 bits"
    return None


def columns_problem(taps: TapSum) -> str | None:
    """Why columns of pixels cannot be shuffled into lanes; None where they can."""
    rows = prod(taps.shape[: taps.axis])
    if taps.widened is None:
        return "elements are no integers of 8 bits that are summed in 32"
    if taps.inner not in (SLOTS - 1, SLOTS):
        return f"pixels have {taps.inner} channels, not {SLOTS - 1} or {SLOTS}"
    if rows < ROWS:
        return f"there are {rows} rows, fewer than {ROWS}"
    images = prod(taps.shape[: taps.axis - 1])
    if taps.row_axis not in (None, taps.axis - 1):
        return "a list selects along another axis than the rows"
    if taps.row_axis is not None and images != 1:
        return f"a list selects the rows of {images} images"
    return None


def is_better_fused(taps: TapSum) -> bool:
    """Whether another algorithm keeps float sums in registers for what follows them."""
    return (
        taps.widened is None and taps.has_other_epilogue and taps.shape[-2] >= 2 * FEW
    )
