"""Non-maximum suppression: drops the boxes that a box with a higher score overlaps.

Candidates are the scores above a threshold. They form a binary heap, from which the
highest is popped until enough boxes are kept; the rest is never sorted. Each candidate
is compared with the boxes kept so far, a vector of them at a time.

    boxes a, b, c with scores 0.9, 0.8, 0.7, of which a and b overlap -> [a, c]

Threads share the images. It is the only algorithm for `linalg_ext.nms`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import NmsSchedule
from devproc.targets.cpu.algorithms.nms.plan import match, plan, refuse

ALGORITHM = Algorithm(NmsSchedule, match, plan, refuse)
