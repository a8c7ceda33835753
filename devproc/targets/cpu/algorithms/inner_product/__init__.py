"""Products by Winograd's inner product: sums of pairs, half of the multiplications.

    a1 b1 + a2 b2 = (a1 + b2) (a2 + b1) - a1 a2 - b1 b2

Winograd, "A new algorithm for inner product", 1968. The subtracted sums depend on one
row or one column only, so a matrix product computes each of them once. Rows and columns
are scaled to a root mean square near 1; tiles whose pairs differ too much in magnitude
are multiplied conventionally.

It pays on processors that execute additions alongside multiply-adds
(`separate_adders`): two of three terms are a pair, in two thirds of the time. Not with
`precision = "strict"`.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import InnerProductSchedule
from devproc.targets.cpu.algorithms.inner_product.layout import (
    inner_product_layout,
    refuse_layout,
)
from devproc.targets.cpu.algorithms.inner_product.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=InnerProductSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=inner_product_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
    copies_rows=True,
    exclusive=True,
)
