"""Scans along rows: one block of each row at a time, combined with the carried value.

Within a block `tl.associative_scan` is used (Blelloch, "Prefix sums and their
applications", 1990); the combination of all previous blocks is carried to the next.

Cumulative sums of 40 rows of 100 elements, with `rows = 32, width = 32`:

    program `pid` of 2:
        carried = zeros(32, 1)
        for k in range(0, 100, 32):
            done = carried + associative_scan(load(32 rows, 32 elements from k on))
            store(done)
            carried = last column of done

It pays wherever there are several rows; a single long row occupies only one program.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockScanSchedule
from devproc.targets.triton.algorithms.block_scan.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockScanSchedule, match, plan, refuse)
