"""Windows of each channel on its own, on channels-last images: pools, depthwise
convolutions.

A program computes a block of pixels x channels. The taps of the window are unrolled: each
is a load at the addresses of the pixels plus a number, of elements that lie next to each
other, with a mask of one bit for each pixel. Neighbouring pixels read the same elements
from L1.

A maximum over 3 x 3 places of 64 channels, with `pixels = 16, channels = 64`:

    program `tile`:
        oh, ow = pixel // width, pixel % width
        acc = max(-inf, x[oh - 1, ow - 1, :], x[oh - 1, ow, :], ..., x[oh + 1, ow + 1, :])

It pays where channels are the last dimension; these ops wait for memory. A depthwise
convolution is no `tl.dot`: a channel has one filter.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockWindowSchedule
from devproc.targets.triton.algorithms.block_window.plan import plan, refuse
from devproc.targets.triton.transforms.to_triton.nest import whole

ALGORITHM = Algorithm(BlockWindowSchedule, whole, plan, refuse)
