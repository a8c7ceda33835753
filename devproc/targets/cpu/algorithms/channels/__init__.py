"""Results with a short innermost loop: the channels of a pixel, the corners of a box.

The loop around that one is vectorised, so that a lane is a pixel. Each channel is
computed by a separate op, in which the selects that depend on the channel are resolved
(`loop_part.py`); the results are interleaved and stored as whole vectors. Inputs with
the same channels are loaded as whole vectors and deinterleaved.

    for pixels p to p + 16:
        r, g, b = three vectors of 16 pixels
        store r0 g0 b0 r1 g1 b1 ... as 48 elements

instead of vectors of three lanes. It pays from `FEWEST_PIXELS` pixels on; with fewer,
most lanes are unused.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import ChannelsSchedule
from devproc.targets.cpu.algorithms.channels.match import match
from devproc.targets.cpu.algorithms.channels.plan import plan, refuse

ALGORITHM = Algorithm(ChannelsSchedule, match, plan, refuse)
