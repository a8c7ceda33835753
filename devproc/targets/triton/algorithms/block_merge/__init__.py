"""Merges of sorted runs: each element counts those of the other runs before it.

An element's rank in the merged run is its position in its own run plus, for each other run,
the number of elements before it, which a binary search finds (Cole, "Parallel merge sort",
1988, merges by such cross-ranks). Of equal elements that of the earlier run comes first, so
the merge is stable. All elements are independent: there are as many programs as blocks.

Runs of 1024 elements, four of which become one, with `size = 256`:

    program `pid`:
        at = pid * 256 + arange(256)
        rank = at % 1024
        for each of the three other runs:
            rank += elements before x[at], found in steps of 1024, 512, ... 1
        store(x[at] at the beginning of the merged run + rank)

A radix sort moves each element once for each digit, a merge once for each doubling of the
runs. With four runs at a time a million elements take five passes, as many as digits of six
or seven bits, but a pass is one kernel instead of three, keys of 64 bits take no more of
them, and the first elements of a row leave the others behind in each pass.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockMergeSchedule
from devproc.targets.triton.algorithms.block_merge.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockMergeSchedule, match, plan, refuse)
