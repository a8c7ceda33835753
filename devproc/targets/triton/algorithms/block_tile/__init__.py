"""Contractions on `tl.dot`: matrix products, batched or not, and convolutions.

The loops of the op are sorted by which operands they index: both and the output
(batch), one operand and the output (M or N), both and not the output (K). Each group is
linearised to one index, so a convolution is a matrix product whose left operand is
gathered from the image on demand (implicit GEMM: Chetlur et al., "cuDNN: efficient
primitives for deep learning", 2014): M = (n, h, w), N = out channels, K = (channels,
kernel height, kernel width). The other ops of the nest run on the tile of results.

A product of 100 x 48 and 48 x 60, with `m = 64, n = 64, k = 32`:

    program `tile` of 2:
        acc = zeros(64, 64)
        for k in range(0, 48, 32):
            acc = tl.dot(a[tile * 64 :, k :], b[k :, :], acc)   # 64 x 32 and 32 x 64
        relu(acc) -> y[tile * 64 :, :]

It pays wherever there are several rows and columns, since each loaded element is used
for a whole row or column of the tile; also without tensor cores (`precision = ieee`).
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockTileSchedule
from devproc.targets.triton.algorithms.block_tile.plan import offer, plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlockTileSchedule, whole, plan, refuse, offer)
