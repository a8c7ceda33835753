"""Inverted bottlenecks (Sandler and others, "MobileNetV2", 2018), line by line of the
image.

A 1x1 convolution expands the channels of an image several times, a depthwise
convolution filters each of them, and another 1x1 convolution projects them back. Of the
expanded image only a ring buffer exists, with as many lines as a window: line y is in
slot y modulo their number.

    for each image, for each part of its lines:
        for each line of the result:
            expand the lines that its windows read and that are not in the ring
            compute the windows of the line, into a line of scratch
            project that line

It pays where the expanded image is too large for a core's cache but a few of its lines
fit; fusion only creates such kernels (`fusion/bottleneck.py`). Each product has its own
schedule, of another algorithm, for one line.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BottleneckSchedule
from devproc.targets.cpu.algorithms.bottleneck.layout import line_layout
from devproc.targets.cpu.algorithms.bottleneck.nest import match
from devproc.targets.cpu.algorithms.bottleneck.plan import plan, refuse

ALGORITHM = Algorithm(
    schedule=BottleneckSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=line_layout,
    straight_code=("bottleneck",),
    exclusive=True,
)
