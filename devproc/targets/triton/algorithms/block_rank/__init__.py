"""Sorts of short runs by counting, for each element, those of its run before it.

All pairs of a run are compared (comparison counting; Knuth, "The Art of Computer
Programming", volume 3, 5.2), each pair of elements that are equal by their indices.

Runs of 256 elements, with `width = 256, step = 16`:

    program `pid`:
        rank = zeros(256)
        for k in range(0, 256, 16):
            rank += sum of "is before" of (16 elements from k on) and (all 256), over the 16
        store(arange(256) at rank)

It pays for keys of 64 bits, which leave no room for an index where a network packs both.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockRankSchedule
from devproc.targets.triton.algorithms.block_rank.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockRankSchedule, match, plan, refuse)
