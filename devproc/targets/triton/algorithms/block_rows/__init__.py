"""Chains of reductions over rows: softmax, norms, sums, argmax.

One program computes several rows, each as one block padded to a power of two. All ops
of the nest share the rows, so a softmax is one kernel that reads its input once (the
fused softmax of Triton's tutorials; Tillet et al., "Triton: an intermediate language
and compiler for tiled neural network computations", 2019).

The softmax of 100 rows of 77 elements, with `rows = 8, width = 128`:

    program `pid` of 13:
        x = load(8 x 128 elements from row pid * 8 on)
        e = exp(x - max(where(inside, x, -inf)))
        store(e / sum(where(inside, e, 0)))

A longer row is read in steps of `width` by a loop for each pass over it, in which each
lane accumulates on its own; the maximum of a softmax and its sum share a pass
(`online`). It pays wherever rows are contiguous; see `docs/schedules/block_rows.md`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockRowsSchedule
from devproc.targets.triton.algorithms.block_rows.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlockRowsSchedule, whole, plan, refuse)
