"""The loops of a resampling: over whole rows, or over the columns of four rows."""

from __future__ import annotations

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ResampleSchedule
from devproc.targets.cpu.algorithms.resample.tap_columns import TapColumns
from devproc.targets.cpu.algorithms.resample.tap_rows import TapRows
from devproc.targets.cpu.algorithms.resample.tap_sum import TapSum
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    taps: TapSum, schedule: ResampleSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops."""
    if schedule.way == "columns":
        TapColumns(taps, schedule, emitter).emit()
    else:
        TapRows(taps, schedule, emitter, machine_of(target).vector_bits.data).emit()
