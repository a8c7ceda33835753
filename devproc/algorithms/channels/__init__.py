"""Results whose innermost loop is short: the channels of a pixel, the corners of a box.

Vectors run along the loop around that one, so that a lane is a pixel. Each channel is an
op of its own, for which all that its body selects by the channel is decided
(`loop_part.py`); what they make is shuffled together and stored as whole vectors. Inputs
with the same channels are loaded whole and shuffled apart.

    for pixels p to p + 16:
        r, g, b = three vectors of 16 pixels
        store r0 g0 b0 r1 g1 b1 ... as 48 elements

instead of vectors of three lanes. It pays from some pixels on (`FEWEST_PIXELS`): with
fewer, most lanes are empty.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.channels.match import match
from devproc.algorithms.channels.plan import plan, refuse
from devproc.dialects.sched import ChannelsSchedule

ALGORITHM = Algorithm(ChannelsSchedule, match, plan, refuse)
