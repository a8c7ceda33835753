"""Convolutions on `tl.dot` as implicit matrix products, on channels-last images.

M = pixels of the result (n, oh, ow), N = output channels, K = the window and the channels
of a pixel, innermost (Chetlur et al., "cuDNN: efficient primitives for deep learning",
2014; loop order as in CUTLASS, "Implicit GEMM Convolution"). One step of the sum is a
block of channels at one place of the window, a *tap*: its addresses are those of the
pixels plus a number, its elements lie next to each other, and its mask has one bit for
each pixel. The position of the pixels is computed once, before the loop.

A 3 x 3 convolution of 64 channels to 128, with `m = 128, n = 128, k = 64`:

    program `tile`:
        oh, ow = m // width, m % width
        for k in range(0, 9 * 64, 64):
            kh, kw = k // 192, k // 64 % 3
            inside = 0 <= oh + kh - 1 < height and 0 <= ow + kw - 1 < width
            acc = tl.dot(x[(oh + kh - 1) * width + ow + kw - 1, :], w[kh, kw, :, :], acc)
        relu(acc) -> y[tile * 128 :, :]

With fewer channels than `tl.dot` takes terms (the first convolution of a network), a step
is a line of the window: its pixels lie next to each other too. Groups are an axis of the
grid.

Several products into the same results are loops that follow one another, each with its own
factors, window and terms. A stage of a ResNet adds a convolution of its branch to one with
stride 2 of its input; in f32, where no scale is left between them, with one accumulator:

    program `tile`:
        for k in range(0, 64, 64):
            acc = tl.dot(h[oh * width + ow, :], w[:, :], acc)
        for k in range(0, 256, 64):
            acc = tl.dot(x[2 * oh * wider + 2 * ow, :], v[:, :], acc)
        relu(acc) -> y[tile * 128 :, :]

Otherwise what is computed of the first result is held in registers during the second loop.
Products of matrices, such as those of a recurrent layer, are loops without taps.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ImplicitGemmSchedule
from devproc.targets.triton.algorithms.implicit_gemm.joint import is_faster_jointly
from devproc.targets.triton.algorithms.implicit_gemm.parts import parts_of
from devproc.targets.triton.algorithms.implicit_gemm.plan import offer, plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(
    ImplicitGemmSchedule,
    whole,
    plan,
    refuse,
    offer,
    parts=parts_of,
    joins=is_faster_jointly,
)
