"""Non-maximum suppression: the boxes of each image that no better one overlaps too much.

Candidates are the scores above a threshold. They make a binary heap, from which the highest
is taken until the places are filled: what lies deeper is never put in order. Each is
compared with the boxes kept so far, a vector of them at a time; a dropped box costs one
pass over these.

    boxes a, b, c with scores 0.9, 0.8, 0.7, of which a and b overlap -> [a, c]

Threads share the images. It is the only algorithm for `linalg_ext.nms`.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.nms.plan import match, plan, refuse
from devproc.dialects.sched import NmsSchedule

ALGORITHM = Algorithm(NmsSchedule, match, plan, refuse)
