"""The order of the elements of rows, or the elements of some ranks.

The op determines the results, and so the method (Knuth, "The Art of Computer
Programming", volume 3, 5.2):

- `ranks`, all of a short row: comparison counting. Each element counts its predecessors
  in the order, which gives its rank. A quadratic number of comparisons, a vector of
  them at a time, without branches.
- `digits`, all of a long row: a least significant digit radix sort, 8 bits at a time.
- `insertion`, a few first elements: a sorted list; most other elements are rejected.
- `search`, the elements of some ranks: bisection between the smallest and the largest
  value. Each step counts the elements up to the middle; nothing is moved.
- `first`, the elements up to a given one, in memory order.

    keys [30, 10, 20] -> ranks [2, 0, 1] -> places [1, 2, 0]

Threads share the rows. It is the only algorithm for these ops.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.algorithms.sort.plan import match, plan, refuse

ALGORITHM = Algorithm(SortSchedule, match, plan, refuse)
