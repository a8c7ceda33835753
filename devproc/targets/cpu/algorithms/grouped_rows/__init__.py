"""Rows that are multiplied with matrices of their own, as those of experts: by matrix.

    out[s, n] += matrices[index[s], n, k] * x[s, k]

The rows of each matrix are found first, by their index. Then tiles of these rows are
multiplied with some columns of the matrix at a time: each of its vectors is loaded, and
widened, once for all rows of a tile. Vectors lie along k, in which rows and matrices are
contiguous, so the matrices need no layout of their own and are read where they are, as by
products of a few rows (`rows`).

It pays as soon as matrices have several rows on average.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import GroupedRowsSchedule
from devproc.targets.cpu.algorithms.grouped_rows.match import match
from devproc.targets.cpu.algorithms.grouped_rows.plan import plan, refuse

ALGORITHM = Algorithm(GroupedRowsSchedule, match, plan, refuse)
