"""Plans a scan: by columns or by squares of rows, lanes, registers, threads."""

from __future__ import annotations

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ScanSchedule
from devproc.targets.cpu.algorithms.scan.nest import ScanNest
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import block_work, grain_of, lanes_of

CHEAP_WORK = 8
"""Scalar operations of a cheap combination; those with more have a long latency."""

REGISTERS = 8
"""Registers of carried values: two cache lines of f32 that are summed in f64. Half as
many if the combination needs registers itself."""

MOST_UNROLLED = 8
"""Elements along the axis up to which the scan is unrolled."""


def plan(nest: ScanNest, family: str, target: TargetAttr) -> Decision:
    """Columns if there are any, or if rows are shorter than a vector; else squares."""
    work = block_work(nest.op.body.block) + len(nest.types)
    is_cheap = work <= CHEAP_WORK
    lanes = min(
        lanes_of(type_, machine_of(target).vector_bits.data) for type_ in nest.types
    )

    def grain(pieces: int, rows: int = nest.before) -> int | None:
        elements = rows * nest.size * nest.after
        return grain_of(pieces, work * elements, target.threads.data)

    if nest.after > 1 or (is_cheap and nest.size < lanes):
        registers = REGISTERS if is_cheap else REGISTERS // 2
        blocks = -(-nest.after // width_of(nest, lanes, registers))
        schedule = ScanSchedule(
            way="columns",
            lanes=lanes,
            registers=registers,
            unroll=nest.size <= MOST_UNROLLED,
            rest=None,
            grain=grain(nest.before * blocks),
            rest_grain=None,
        )
        columns = "1 column" if nest.after == 1 else f"{nest.after} columns"
        why = f"{columns} of {nest.size} elements; {work} operations combine two"
        return Choice(schedule, why)
    # Two registers hide each other's latency.
    lanes = lanes if is_cheap else 2 * lanes
    squares, left = divmod(nest.before, lanes)
    # Doubling steps take more combinations per element than squares.
    rest = None if not left else "rows" if is_cheap else "square"
    schedule = ScanSchedule(
        way="squares",
        lanes=lanes,
        registers=1,
        unroll=False,
        rest=rest,
        grain=grain(squares),
        rest_grain=grain(left, left) if rest == "rows" else None,
    )
    rows = f"{nest.before} rows = {squares} x {lanes} + {left}"
    return Choice(schedule, f"{rows}; {work} operations combine two")


def width_of(nest: ScanNest, lanes: int, registers: int) -> int:
    """Columns of a block whose values fill this many registers."""
    return lanes * registers // len(nest.types)


def refuse(nest: ScanNest, schedule: ScanSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a scan."""
    lanes = schedule.lanes
    if schedule.way == "columns":
        if width_of(nest, lanes, schedule.registers):
            return None
        return f"'registers': {len(nest.types)} values of a column need more lanes"
    if nest.after > 1:
        return f"'way' must be columns: there are {nest.after} after the axis"
    if lanes < 2 or lanes.bit_count() > 1:
        return f"'lanes' must be a power of two, 2 or more, not {lanes}"
    left = nest.before % lanes
    if bool(left) != (schedule.rest is not None):
        wanted = "rows or square" if left else "none"
        return f"'rest' must be {wanted}: {left} of {nest.before} rows fill no square"
    return None
