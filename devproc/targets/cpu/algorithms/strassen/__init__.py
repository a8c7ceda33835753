"""Products by one level of Strassen's algorithm: seven products of blocks instead of
eight.

Strassen, "Gaussian elimination is not optimal", 1969. The weight is stored as sums of
its blocks, computed in float64 at compile time; those of the left matrix are computed
at run time:

    m1 = (a11 + a22) (b11 + b22)        c11 = m1 + m4 - m5 + m7
    m2 = (a21 + a22) b11                c12 = m3 + m5
    ...                                 ...

It pays with `precision = "fast"`, for at least 64 rows and a large weight: 7/8 of the
multiplications for 7/4 of the weight. Errors are relative to all rows of a block.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import StrassenSchedule
from devproc.targets.cpu.algorithms.strassen.layout import (
    refuse_layout,
    strassen_layout,
)
from devproc.targets.cpu.algorithms.strassen.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=StrassenSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=strassen_layout,
    refuse_layout=refuse_layout,
    copies_rows=True,
    exclusive=True,
)
