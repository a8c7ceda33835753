"""Scans: each element combined with all before it along an axis.

Every element waits for the one before it; lanes take what does not wait.

- `columns`: along any dimension but the last, vectors of columns are carried down the
  axis. Rows shorter than a vector are columns of which there is one.
- `squares`: along the last dimension, as many rows as lanes are read, transposed in
  registers and combined column by column: each lane holds a row. The rows that fill no
  square are done one by one, within a vector by doubling steps (Hillis and Steele, "Data
  parallel algorithms", 1986), after which one combination alone waits for the vector
  before; or, where combinations are expensive, in a square that is partly empty.

    [a, b, c, d] -> [a, ab, bc, cd] -> [a, ab, abc, abcd]

It is the only algorithm for `linalg_ext.scan`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.scan.nest import match
from devproc.algorithms.scan.plan import plan, refuse
from devproc.dialects.sched import ScanSchedule

ALGORITHM = Algorithm(ScanSchedule, match, plan, refuse)
