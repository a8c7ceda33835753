"""Convolutions of few channels by Winograd's algorithm along their lines.

With few channels, a transform of squares would cost more than its products save. Along a
line alone, m = 4 pixels take m + r - 1 products instead of m r, each with all lines and
channels as its terms. With a stride, the pixels that taps a stride apart meet are a line of
their own (a phase), and phases are like channels:

    7 taps, stride 2    4 + 3 taps of two phases    14 products for 4 pixels instead of 28

It pays for the first convolution of a model: whole vectors of output channels, 3 or 4 taps
of a phase, at least 16 terms. Not with `precision = "strict"`.
"""

from devproc.algorithms.base import Algorithm
from devproc.algorithms.winograd_line.layout import winograd_line_layout
from devproc.algorithms.winograd_line.plan import match, plan, refuse
from devproc.dialects.sched import WinogradLineSchedule

ALGORITHM = Algorithm(
    schedule=WinogradLineSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=winograd_line_layout,
    exclusive=True,
)
