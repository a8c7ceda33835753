"""Elementwise kernels that read along one dimension of memory and write along another.

One program computes a block of both dimensions, long enough in each that loads and
stores access whole cache lines; in between the block is transposed in registers and
shared memory (Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA", 2009).

A matrix of 100 x 70 transposed, with `read = 64, written = 32`:

    program `tile` of 2 x 4:
        block = load(x, 64 contiguous elements of each of 32 rows)
        store(y, block, 32 contiguous elements of each of 64 rows)

It pays where both dimensions are long.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockTransposeSchedule
from devproc.targets.triton.algorithms.block_transpose.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlockTransposeSchedule, whole, plan, refuse)
