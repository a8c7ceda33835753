"""Scans along rows: a block of each row at a time, joined to what came before it.

Within a block `tl.associative_scan` works (Blelloch, "Prefix sums and their applications",
1990); what the blocks before come to is carried from one to the next.

Cumulative sums of 40 rows of 100 elements, with `rows = 32, width = 32`:

    program `pid` of 2:
        carried = zeros(32, 1)
        for k in range(0, 100, 32):
            done = carried + associative_scan(load(32 rows, 32 elements from k on))
            store(done)
            carried = last column of done

It pays wherever there are several rows; one long row keeps one program busy.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.block_scan.plan import match, plan, refuse
from devproc.dialects.sched import BlockScanSchedule

ALGORITHM = Algorithm(BlockScanSchedule, match, plan, refuse)
