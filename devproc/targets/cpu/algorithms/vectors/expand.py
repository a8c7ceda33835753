"""The loops of a nest that is vectorised along a parallel loop; reductions
innermost."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.loops import loops_of, point_of
from devproc.targets.cpu.algorithms.vectors.match import VectorizableNest
from devproc.targets.cpu.algorithms.vectors.tile import CrossedTile
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    found: VectorizableNest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    target: TargetAttr,
    fixed: Mapping[int | None, SSAValue] | None = None,
) -> None:
    """Emit the loops of a nest.

    `fixed`: the index of each loop that is not in `found` (`vectorized`).
    """
    nest, fixed = found.nest, fixed or {}
    point = point_of(nest, emitter, fixed)
    nest.view(emitter)
    tile = CrossedTile(nest, schedule, emitter, point)
    loops_of(nest, schedule, emitter, point, fixed).emit(tile.emit)
