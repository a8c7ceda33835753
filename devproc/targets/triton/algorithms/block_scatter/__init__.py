"""Scatters whose updates are sorted by their index: each element collects its own.

The updates of one element are adjacent in the order of the indices, which is stable: they
are combined as on a CPU, one after the other, and results have the same bits in each run.
A binary search finds the first and the last of them. Elements that have the same updates,
such as those of a row, share the search.

Sums of 100 rows of 64 elements, added to 10 rows, with `places = 4, columns = 64`:

    program `pid` of 3:
        row = pid * 4 + arange(4)
        first, end = the number of sorted indices < row, <= row
        total = load(old, 4 rows)
        for j in range(max(end - first)):
            total = where(first + j < end, total + load(updates, row places[first + j]), total)
        store(total)

An element with very many updates takes a loop of as many steps; atomics would be faster
there, but sums of floats would depend on the order in which programs run.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockScatterSchedule
from devproc.targets.triton.algorithms.block_scatter.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockScatterSchedule, match, plan, refuse)
