"""Fills the padding around the interior of a buffer that another op writes.

A fill followed by a copy into a part of its result shares one buffer: the copy, or its
producer, writes the interior, and the fill (which carries the bounds of the interior as
`INSIDE`) need not touch it. The padding consists of slabs: in each dimension those
before and after the interior. A slab covers whole inner dimensions, along which it is
contiguous and filled in vectors.

    fill 12 x 14, interior 10 x 10 at (1, 2): rows 0 and 11 whole,
    of rows 1 to 10 the columns 0, 1, 12 and 13

It always pays: the interior, most of the buffer, is written once instead of twice.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import PaddingSchedule
from devproc.targets.cpu.algorithms.padding.plan import match, plan, refuse

ALGORITHM = Algorithm(PaddingSchedule, match, plan, refuse)
