"""Convolutions on `tl.dot` as implicit matrix products, with boxes of the image read by TMA.

As `implicit_gemm`, but the pixels of a program are a rectangle of one image: those that a tap
of the window needs are the same rectangle elsewhere, a box of 1 x rows x columns x channels
that a tensor descriptor reads with one instruction. Pixels outside of the image are zero, as
padding wants them, also those left of and above its first one: no masks, and no addresses in
registers. A 3 x 3 convolution of 64 channels to 128, with `rows = 8, columns = 16, n = 128,
k = 64`:

    program (image, row, column):
        for k in range(0, 9 * 64, 64):
            kh, kw = k // 192, k // 64 % 3
            box = x.load([image, row + kh - 1, column + kw - 1, 0])
            acc = tl.dot(box.reshape(128, 64), w.load([k // 64, 0, 0]), acc)

It takes convolutions of stride 1 without groups, whose image lies in memory; where rows or
columns of the result are no multiples of those of a box, some of its pixels are computed for
nothing. As with `persistent_tile`, programs make their descriptors, and no card has measured
it yet: a tuner compares it with `implicit_gemm`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BoxGemmSchedule
from devproc.targets.triton.algorithms.box_gemm.plan import plan, refuse
from devproc.targets.triton.algorithms.implicit_gemm.plan import offer
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BoxGemmSchedule, whole, plan, refuse, offer)
