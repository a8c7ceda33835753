"""A scatter: the cost is proportional to the updates, not to the target.

Updates are applied at the positions given by an index, in order along the axis, so that
of two updates of one element the later one sees the result of the earlier. An index out
of range is skipped. Loops over dimensions that the index lacks are inside that check.

    target [0, 0, 0, 0], updates [1, 2, 3] at [2, 0, 2], added -> [2, 0, 4, 0]

Threads share the dimensions before the axis, where updates do not conflict. It is the
only algorithm for `linalg_ext.scatter`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ScatterSchedule
from devproc.targets.cpu.algorithms.scatter.plan import match, plan, refuse

ALGORITHM = Algorithm(ScatterSchedule, match, plan, refuse)
