"""Scatters by atomics: each update is combined with its element in memory, in any order.

Sums, maxima and minima of integers are the same in any order. Sums of float32 are not: only
the precision `fast` allows that they differ in their last digits from run to run; all else
is sorted first (`block_scatter`).

Updates of 100 rows of 64 elements, with `size = 512`:

    program `pid` of 13:
        update = pid * 512 + arange(512)
        row, column = update // 64, update % 64
        at = load(index, row)
        atomic_add(target, at * 64 + column, load(updates, update), 0 <= at < rows)

The target holds the old elements already.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockAtomicsSchedule
from devproc.targets.triton.algorithms.block_atomics.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockAtomicsSchedule, match, plan, refuse)
