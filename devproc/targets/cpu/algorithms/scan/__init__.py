"""Scans: each element combined with all before it along an axis.

Every element depends on its predecessor, so lanes hold independent scans.

- `columns`: along any dimension but the last, vectors of columns are carried down the
  axis. Rows shorter than a vector are treated as single columns.
- `squares`: along the last dimension, as many rows as lanes are read, transposed in
  registers and combined column by column: each lane holds a row. Remaining rows are
  scanned one by one, within a vector by doubling steps (Hillis and Steele, "Data
  parallel algorithms", 1986), after which only one combination depends on the previous
  vector; or, if combinations are expensive, in a partial square.

    [a, b, c, d] -> [a, ab, bc, cd] -> [a, ab, abc, abcd]

It is the only algorithm for `linalg_ext.scan`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ScanSchedule
from devproc.targets.cpu.algorithms.scan.nest import match
from devproc.targets.cpu.algorithms.scan.plan import plan, refuse

ALGORITHM = Algorithm(ScanSchedule, match, plan, refuse)
