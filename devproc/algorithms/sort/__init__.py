"""The order of the elements of rows, or the elements of some ranks.

The op says what is wanted, and so how it is found (Knuth, "The Art of Computer
Programming", volume 3, 5.2):

- `ranks`, all of a short row: comparison counting. Each element counts those before it;
  its rank is its place in the order. The square of the row in comparisons, a vector of
  them at a time, without a branch.
- `digits`, all of a long row: a radix sort from the lowest digit up, 8 bits at a time.
- `insertion`, a few first elements: a sorted list into which few others get.
- `search`, the elements of some ranks: bisection between the smallest and the largest
  value. Each step counts the elements up to the middle; nothing moves.
- `first`, the elements up to a given one, in the order of memory.

    keys [30, 10, 20] -> ranks [2, 0, 1] -> places [1, 2, 0]

Rows are shared by threads. It is the only algorithm for these ops.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.sort.plan import match, plan, refuse
from devproc.dialects.sched import SortSchedule

ALGORITHM = Algorithm(SortSchedule, match, plan, refuse)
