"""Several ops that write parts of the same rows: all parts of a row, then the next row.

A row of which the index-dependent selects were split (`split_choices.py`) is whole in the
first cache only where its parts follow each other; op by op, every line of the result
would be fetched again for each part.

    for each row:
        part 0 of the row, in vectors
        part 1 of the row, in vectors

instead of all rows of part 0, then all rows of part 1. It pays for any two parts or more;
each part has a schedule of its own along the row.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.row_parts.plan import match, plan, refuse
from devproc.dialects.sched import RowPartsSchedule

ALGORITHM = Algorithm(RowPartsSchedule, match, plan, refuse)
