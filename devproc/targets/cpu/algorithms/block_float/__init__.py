"""Products of few rows with a weight in blocks of floats that share an exponent.

A product of one row reads each element of the weight once and is bound by memory. In
block floating point (Wilkinson, "Rounding Errors in Algebraic Processes", 1963, section
1.10) a number takes three bytes instead of four: `ir/layouts/block_float.py`.

    32 bits of a word       24 bits of a and the first 8 of b; b, c; c, d
    4 vectors of columns    from 3 vectors of words, by shifts, in registers
    sum of a block          times the scale of each column, added to the total

It pays with vectors of 512 bits, for one row and a weight larger than a core's cache.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import BlockFloatSchedule
from devproc.targets.cpu.algorithms.block_float.plan import match, plan, refuse
from devproc.targets.cpu.transforms.nests.block_float_layout import (
    block_float_layout,
    refuse_layout,
)

ALGORITHM = Algorithm(
    schedule=BlockFloatSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=block_float_layout,
    refuse_layout=refuse_layout,
    exclusive=True,
)
