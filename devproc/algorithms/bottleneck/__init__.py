"""Inverted bottlenecks (Sandler and others, "MobileNetV2", 2018), line by line of the image.

A 1x1 convolution makes an image several times as wide, a depthwise window filters each
channel, a 1x1 convolution makes it narrow again. Of the wide image only a ring exists, as
many lines as a window has: line y is in slot y modulo their number.

    for each image, for each part of its lines:
        for each line of the result:
            expand the lines that its windows reach and that the ring does not have
            the windows of the line, into a line of scratch
            the projection of that line

It pays where the wide image is too large for a core's cache, and a few of its lines are
not: fusion makes kernels of such three products alone (`fusion/bottleneck.py`). Each
product has the schedule of an algorithm of its own, for one line.
"""

from devproc.algorithms.base import Algorithm
from devproc.algorithms.bottleneck.nest import match
from devproc.algorithms.bottleneck.plan import plan, refuse
from devproc.dialects.sched import BottleneckSchedule

ALGORITHM = Algorithm(
    schedule=BottleneckSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    exclusive=True,
)
