"""The loops over rows, with all parts of a row in order."""

from __future__ import annotations

from devproc.algorithms.row_parts.plan import RowParts
from devproc.algorithms.vectors.expand import VectorLoops, loops_of
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import RowPartsSchedule
from devproc.transforms.cpu.loops.emitter import Emitter


def expand(
    parts: RowParts, schedule: RowPartsSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops over the rows."""
    RowLoops(parts, schedule, emitter).emit()


class RowLoops(VectorLoops):
    """Emits the loops over the rows; those of the parts stand at the same row."""

    def __init__(self, parts: RowParts, schedule: RowPartsSchedule, emitter: Emitter):
        first = schedule.parts[0]
        super().__init__(
            parts.nests[0],
            parts.row,
            emitter,
            lanes=first.lanes,
            vectors=first.vectors,
            outer=range(parts.row),
            split=schedule.split,
            grain=schedule.grain,
        )
        self.rows = [
            loops_of(nest, part, emitter, {})
            for nest, part in zip(parts.nests, schedule.parts, strict=True)
        ]
        for row in self.rows:
            row.point = self.point

    def emit(self) -> None:
        """Emit the loops."""
        for row in self.rows:
            row.nest.view(self.emitter)
        self.outer_loops(self.outer, self.split_loop)

    def vectors(self, split: bool) -> None:
        """The parts of one row."""
        for row in self.rows:
            row.vectors(row.split_loop == row.loop)
