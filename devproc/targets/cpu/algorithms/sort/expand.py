"""The loops of an order, by the method of its schedule."""

from __future__ import annotations

from typing import Any

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.algorithms.sort.bisection import Bisection
from devproc.targets.cpu.algorithms.sort.first_places import FirstPlaces
from devproc.targets.cpu.algorithms.sort.insertion import Insertion
from devproc.targets.cpu.algorithms.sort.order_loops import OrderLoops
from devproc.targets.cpu.algorithms.sort.plan import OrderNest
from devproc.targets.cpu.algorithms.sort.radix_sort import RadixSort
from devproc.targets.cpu.algorithms.sort.rank_sort import RankSort
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

LOOPS: dict[str, type[OrderLoops[Any]]] = {
    "ranks": RankSort,
    "digits": RadixSort,
    "insertion": Insertion,
    "search": Bisection,
    "first": FirstPlaces,
}
"""The emitter of the loops for each value of `by` in the schedule."""


def expand(
    nest: OrderNest, schedule: SortSchedule, emitter: Emitter, target: TargetAttr
) -> None:
    """Emit the loops over the rows; none if there are no results."""
    if 0 not in memref_of(nest.op.places).get_shape():
        loops = LOOPS[schedule.by](
            nest.op, schedule, emitter, machine_of(target).vector_bits.data
        )
        loops.emit()
