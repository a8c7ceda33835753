"""Contractions on `tl.dot` by few programs, which compute tile after tile.

The tiles are those of `block_tile`, in the same grouped order. A grid has about as many
programs as the GPU runs at a time, and each takes every so-manieth tile (CUTLASS calls the
kernel persistent). A product of 1024 x 1024 results by 132 programs:

    program `p` of 132:
        a_blocks, b_blocks = descriptors of a and b
        for tile in range(p, 512, 132):
            acc = zeros(64, 32)
            for k in range(0, 768, 64):
                acc = tl.dot(a_blocks.load([row, k]), b_blocks.load([k, column]), acc)
            relu(acc) -> y[row :, column :]

With `loads = descriptors` the factors are read by tensor descriptors: on Hopper the tensor
memory accelerator (TMA) copies a block with one instruction of one thread, where pointers
take an address and a mask in every thread; elements outside of a factor are zero. Both loops
become one then (`flatten`), so that the first blocks of a tile are on their way while the
results of the one before are stored.

A program makes its descriptors itself, in scratch memory that each launch has anyway; made
on the host, a descriptor would be a kernel argument of 128 bytes that has to be encoded again
for each address. Triton compiles descriptors to pointers and masks for architectures without
TMA, and DevProc does so for buffers that are not aligned to 16 bytes. A factor is read through
pointers as before if other ops of the kernel compute it, or if its strides are no multiples of
16 bytes.

The last wave of tiles is not split over K (stream-K: Osama et al., "Stream-K: Work-centric
Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU", 2023). Programs
would wait for the sums of others, for which the dialect has no ops. By the estimate it gains
15 to 20 % for products like 4096 x 768 results of 3072 terms, whose 96 tiles leave a quarter
of 132 processors idle, and nothing for sums of 768 terms or for several full waves, since
each exchange of sums takes about 7,000 cycles. Tiles that occupy less than a wave are split
by `split-products`.

No card has measured it to be faster than `block_tile` yet, so it is never planned; a tuner
compares both, and so does `benchmarks/gpu_queue.py`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import PersistentTileSchedule
from devproc.targets.triton.algorithms.block_tile.plan import offer
from devproc.targets.triton.algorithms.persistent_tile.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(PersistentTileSchedule, whole, plan, refuse, offer)
