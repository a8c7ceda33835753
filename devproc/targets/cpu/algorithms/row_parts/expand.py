"""The loops over rows, with all parts of a row in order."""

from __future__ import annotations

from dataclasses import replace

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import RowPartsSchedule
from devproc.targets.cpu.algorithms.row_parts.plan import RowParts
from devproc.targets.cpu.algorithms.vectors.loops import loops_of, point_of
from devproc.targets.cpu.algorithms.vectors.tile import CrossedTile
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    parts: RowParts, schedule: RowPartsSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops over the rows."""
    first = parts.nests[0]
    point = point_of(first, emitter, {})
    for nest in parts.nests:
        nest.view(emitter)
    walks = [
        (
            loops_of(nest, part, emitter, point),
            CrossedTile(nest, part, emitter, point),
        )
        for nest, part in zip(parts.nests, schedule.parts, strict=True)
    ]

    def all_parts() -> None:
        for loops, tile in walks:
            loops.along(tile.emit)

    loops = replace(walks[0][0], split=schedule.split, grain=schedule.grain)
    loops.around(range(parts.row), all_parts)
