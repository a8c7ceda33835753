"""Loops over single elements: the fallback, which computes every structured op.

Parallel loops are outermost, reductions innermost with their accumulators in registers:

    for i: sum = y[i]; for j: sum = sum + x[i, j]; y[i] = sum

It is correct for all ops; every other algorithm is faster for those that it accepts.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ElementsSchedule
from devproc.targets.cpu.algorithms.elements.nest import match
from devproc.targets.cpu.algorithms.elements.plan import plan, refuse

ALGORITHM = Algorithm(ElementsSchedule, match, plan, refuse)
