"""Products by Winograd's inner product: sums of pairs, half of the multiplications.

    a1 b1 + a2 b2 = (a1 + b2) (a2 + b1) - a1 a2 - b1 b2

Winograd, "A new algorithm for inner product", 1968. What is subtracted belongs to one row
or one column alone, so a product of matrices pays for it once. Rows and columns are scaled
to a root mean square near 1; tiles whose pairs are too uneven are multiplied as usual.

It pays where a processor adds alongside its multiply-adds (`separate_adders`): two of three
terms are a pair, in two thirds of the time. Not with `precision = "strict"`.
"""

from devproc.algorithms.base import Algorithm
from devproc.algorithms.inner_product.layout import inner_product_layout
from devproc.algorithms.inner_product.plan import match, plan, refuse
from devproc.dialects.sched import InnerProductSchedule

ALGORITHM = Algorithm(
    schedule=InnerProductSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=inner_product_layout,
    exclusive=True,
)
