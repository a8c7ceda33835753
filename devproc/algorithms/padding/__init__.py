"""Fills the padding around a box that another op writes.

What is a pad followed by a copy at first is planned as one memory: the copy, or the op
before it, writes the box, and the fill (marked with the box, `INSIDE`) need not touch it.
Around the box lie slabs: in each dimension the lines before and after it. Each slab is
contiguous along its inner dimensions, which are whole, and is filled in vectors there.

    fill 12 x 14, box 10 x 10 from (1, 2) on: rows 0 and 11 whole,
    of rows 1 to 10 the columns 0, 1, 12 and 13

It always pays: the box, the most of the memory, is written once instead of twice.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.padding.plan import match, plan, refuse
from devproc.dialects.sched import PaddingSchedule

ALGORITHM = Algorithm(PaddingSchedule, match, plan, refuse)
