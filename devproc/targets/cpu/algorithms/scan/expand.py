"""The loops of a scan: over columns, or over squares of rows and the remaining rows."""

from __future__ import annotations

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ScanSchedule
from devproc.targets.cpu.algorithms.scan.nest import ScanNest
from devproc.targets.cpu.algorithms.scan.scan_columns import ScanColumns
from devproc.targets.cpu.algorithms.scan.scan_rows import ScanRows
from devproc.targets.cpu.algorithms.scan.scan_squares import ScanSquares
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    nest: ScanNest, schedule: ScanSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops; none where there are no elements."""
    if 0 in nest.shape:
        return
    if schedule.way == "columns":
        ScanColumns(nest, schedule, emitter).emit()
        return
    squares = ScanSquares(nest, schedule, emitter)
    squares.emit()
    if schedule.rest == "square":
        squares.emit_rest()
    elif schedule.rest == "rows":
        ScanRows(nest, schedule, emitter).emit()
