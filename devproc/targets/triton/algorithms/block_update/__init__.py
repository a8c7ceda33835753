"""Scatters of few updates into a tensor that is there already, such as rows of a cache.

A program reads one index, and writes the elements there, if no later update has the same
index: so no two programs write to one element, and results have the same bits in each run.
Updates that are combined (a sum) are so by the last of those with the same index, in their
order.

One row for each of 8 heads, written to a cache of 1000 rows of 64 elements at position
`at[0]`, with `columns = 512`:

    program of 1:
        column = arange(512)
        head, element = column // 64, column % 64
        row = load(at, 0)
        store(cache, (head * 1000 + row) * 64 + element, load(new, column), 0 <= row < 1000)

The time depends on the updates alone, not on the size of the tensor.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockUpdateSchedule
from devproc.targets.triton.algorithms.block_update.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockUpdateSchedule, match, plan, refuse)
