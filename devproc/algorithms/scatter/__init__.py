"""A scatter: work for each update, none for the other elements.

Updates go to the places that an index names, one after the other along its axis, so that
of two that meet the later one finds what the earlier one left. An index that is out of
range is skipped. The dimensions that the index does not have lie within that check.

    target [0, 0, 0, 0], updates [1, 2, 3] at [2, 0, 2], added -> [2, 0, 4, 0]

Threads share the dimensions before the axis, where no two updates meet. It is the only
algorithm for `linalg_ext.scatter`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.scatter.plan import match, plan, refuse
from devproc.dialects.sched import ScatterSchedule

ALGORITHM = Algorithm(ScatterSchedule, match, plan, refuse)
