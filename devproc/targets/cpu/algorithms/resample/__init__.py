"""Resampling along one axis: each output is a weighted sum of neighbours, by a tap
table.

    out[.., o, ..] = sum over t of taps[o, t] * source[.., first[o] + t, ..]

- `rows`: all elements of the dimensions inside the axis share the taps, so along the
height
  whole rows are weighted and added in vectors, over width and channels. A tap is loaded
  once for all vectors of a tile.
- `columns`: along the width of 8-bit pixels of three or four channels, four rows at a
  time. The next pixels of each row are shuffled into the lanes, 16 bytes at once; with
  taps of 16 bits, two pixels are multiplied and added by one instruction.

It pays if eight or more adjacent elements share their taps, or pixels are bytes. Float
sums that another op uses are left to `vectors`, which keeps them in registers.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ResampleSchedule
from devproc.targets.cpu.algorithms.resample.plan import plan, refuse
from devproc.targets.cpu.algorithms.resample.tap_sum import match

ALGORITHM = Algorithm(ResampleSchedule, match, plan, refuse)
