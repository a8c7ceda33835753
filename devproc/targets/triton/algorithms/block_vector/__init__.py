"""Products of matrices and one vector: the matrix streams through registers.

Each element of the matrix is used once, so the time is that of reading it; `tl.dot` has
nothing to share. A program computes some results; its lanes add products along the sums,
a step at a time, and their totals are added at the end.

A product of a 100 x 3000 matrix and a vector, with `rows = 4, step = 1024`:

    program `pid` of 25:
        acc = zeros(4, 1024)
        for k in range(0, 3000, 1024):
            acc += x[k : k + 1024] * w[pid * 4 : pid * 4 + 4, k : k + 1024]
        store(y + pid * 4 : pid * 4 + 4, sum(acc, axis=1))

It pays where one side of a product has a size of one, as when a language model generates
one token: a step is as many 16-byte loads in flight as registers hold. Where the results,
not the sums, are contiguous in the matrix, programs have many rows and short steps. Two
products of one vector, such as those of a gated layer, stream both matrices at a time.

What makes the vector may be part of it (`fuse-vector-producers`): a norm, whose sums over the
vector each program computes first, and whose elements it computes as it reads them.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockVectorSchedule
from devproc.targets.triton.algorithms.block_vector.plan import match, plan, refuse

ALGORITHM = Algorithm(BlockVectorSchedule, match, plan, refuse)
