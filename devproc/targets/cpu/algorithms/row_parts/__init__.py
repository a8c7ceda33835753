"""Ops that write parts of the same rows: all parts of a row, then the next row.

Where index-dependent selects split a row (`split_choices.py`), computing its parts in
turn keeps the row in the L1 cache; op by op, every cache line of the result would be
fetched again for each part.

    for each row:
        part 0 of the row, in vectors
        part 1 of the row, in vectors

instead of all rows of part 0, then all rows of part 1. It always pays; each part has a
separate schedule along the row.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import RowPartsSchedule
from devproc.targets.cpu.algorithms.row_parts.plan import match, plan, refuse

ALGORITHM = Algorithm(RowPartsSchedule, match, plan, refuse)
