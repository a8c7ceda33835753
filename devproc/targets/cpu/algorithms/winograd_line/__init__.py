"""Convolutions of few channels by Winograd's algorithm along their lines.

With few channels, transforming squares would cost more than it saves. Along a line
only, m = 4 pixels take m + r - 1 products instead of m r, each with all taps down and
channels as terms. With a stride, taps that are a stride apart read a separate line of
pixels (a phase), and phases are treated as channels:

    7 taps, stride 2    4 + 3 taps of two phases    14 products for 4 pixels instead of 28

It pays for the first convolution of a model, with whole vectors of output channels, 3
or 4 taps of a phase and at least 16 terms. Not with `precision = "strict"`.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import WinogradLineSchedule
from devproc.targets.cpu.algorithms.winograd_line.layout import (
    refuse_layout,
    winograd_line_layout,
)
from devproc.targets.cpu.algorithms.winograd_line.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=WinogradLineSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=winograd_line_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
    exclusive=True,
)
