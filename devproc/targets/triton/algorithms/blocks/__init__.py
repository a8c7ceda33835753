"""Blocks of results: elementwise kernels, and the fallback for all others.

One program computes a block of output elements, numbered in row-major order; a
reduction is a loop over its reduced dimensions, one element of each row at a time. So
every structured op is supported, if not fast.

The sum of two tensors of 300 elements, with `size = 128`:

    program `pid` of 3:
        i = pid * 128 + arange(128)
        store(z + i, load(x + i, i < 300) + load(y + i, i < 300), i < 300)

It pays for elementwise kernels: memory is read and written once, in whole cache lines.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlocksSchedule
from devproc.targets.triton.algorithms.blocks.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlocksSchedule, whole, plan, refuse)
