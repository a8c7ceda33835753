"""Loops over single elements: the fallback, which takes every structured op.

Parallel loops are outside. Reductions run innermost, with their accumulators in registers:

    for i: sum = y[i]; for j: sum = sum + x[i, j]; y[i] = sum

Any other algorithm that takes an op is faster; this one is right for all of them.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.elements.nest import match
from devproc.algorithms.elements.plan import plan, refuse
from devproc.dialects.sched import ElementsSchedule

ALGORITHM = Algorithm(ElementsSchedule, match, plan, refuse)
