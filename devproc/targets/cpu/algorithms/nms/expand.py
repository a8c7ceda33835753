"""The loops of a suppression."""

from __future__ import annotations

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NmsSchedule
from devproc.targets.cpu.algorithms.nms.plan import NmsNest
from devproc.targets.cpu.algorithms.nms.suppression import Suppression
from devproc.targets.cpu.transforms.loops.emitter import Emitter


def expand(
    nest: NmsNest, schedule: NmsSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops over the images."""
    Suppression(nest.op, schedule, emitter).emit()
