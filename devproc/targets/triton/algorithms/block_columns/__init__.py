"""Chains of reductions over columns: sums over rows, softmax over channels.

The reduced dimension is not the contiguous one. One program computes adjacent columns, as
a two-dimensional block that loads read along rows; the chain and its passes are those of
`block_rows`, on a transposed block.

The sums of the 70 columns of a matrix of 100 x 70, with `columns = 32, height = 16`:

    program `pid` of 3:
        acc = zeros(16 x 32)
        for k in range(0, 100, 16):
            acc += load(16 rows from k on, 32 columns from pid * 32 on)
        store(sum(acc, axis=0))

It pays wherever columns are adjacent: a program of rows would load single elements.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockColumnsSchedule
from devproc.targets.triton.algorithms.block_columns.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlockColumnsSchedule, whole, plan, refuse)
