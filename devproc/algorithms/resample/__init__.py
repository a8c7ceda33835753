"""Resampling along one axis: each output sums the neighbours that a table of taps names.

    out[.., o, ..] = sum over t of taps[o, t] * source[.., first[o] + t, ..]

- `rows`: what follows the axis in memory has the same taps, so along the height whole rows
  are weighted and added, width and channels as one, in vectors. A tap is loaded once for
  all vectors of a tile.
- `columns`: along the width of 8-bit pixels of three or four channels, four rows at a
  time. The next pixels of each row are shuffled into the lanes, 16 bytes at once; with
  taps of 16 bits, two pixels are multiplied and added by one instruction.

It pays where eight neighbours or more have the same taps, or pixels are bytes. Float sums
that another op takes further are left to vectors, which keep them in registers.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.resample.plan import plan, refuse
from devproc.algorithms.resample.tap_sum import match
from devproc.dialects.sched import ResampleSchedule

ALGORITHM = Algorithm(ResampleSchedule, match, plan, refuse)
