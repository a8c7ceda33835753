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

Few long rows are split into parts, of which each is a program's: a kernel combines the
elements of each part (`linalg_ext.scan_totals`), a second one scans each part, beginning
with what the totals of the parts before it combine to (`linalg_ext.scan_parts`). That reads
the elements twice; a scan of each part by itself, to which these are added later, would
also write them twice, and round sums twice. Results do not depend on the order in which
programs run, as they would if a program waited for those before it (Merrill and Garland,
"Single-pass parallel prefix scan with decoupled look-back", 2016).
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockScanSchedule
from devproc.targets.triton.algorithms.block_scan.plan import (
    match,
    parts_of,
    plan,
    refuse,
)

ALGORITHM = Algorithm(BlockScanSchedule, match, plan, refuse, parts=parts_of)
