"""Sorts of runs in the registers of a program, by a bitonic network.

Each key is packed with its index into 64 bits, so that the order is stable and all numbers
differ; `tl.sort` exchanges elements between the threads of a warp and through shared
memory (Batcher, "Sorting networks and their applications", 1968). A short row is one run;
`block_merge` merges the runs of a longer one.

Rows of 77 elements, with `rows = 4, width = 128`:

    program `pid`:
        packed = (key << 32) | arange(128), the largest number past the end of a row
        store(sort(packed) & 0xffffffff, places < 77)

It pays for runs that fit the registers.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockSortSchedule
from devproc.targets.triton.algorithms.block_sort.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockSortSchedule, match, plan, refuse)
