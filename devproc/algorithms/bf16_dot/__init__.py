"""Contractions of bf16 in pairs of terms, with sums in f32.

    out[m, n] += x[m, 2i] * w[n, 2i] + x[m, 2i + 1] * w[n, 2i + 1]

A lane of 32 bits holds a pair of a row or of a column. Where the processor has AVX-512's
`vdpbf16ps` (Intel, "bfloat16 - Hardware Numerics Definition", 2018) it multiplies and adds
both products of 16 lanes, half as many instructions as one multiply-add for each term.
Elsewhere a pair becomes two floats of 32 bits, one by a shift, one by a mask:

    for each panel of columns, for each tile of rows:
        9 x 2 sums = 0
        for each pair of terms:
            2 vectors of pairs of the panel
            for each of 9 rows: broadcast a pair of x, 2 vdpbf16ps
        epilogue on the sums, 18 stores

The instruction takes bf16 below 2**-126 for zero and gives zero for such sums, so
`precision = "strict"` widens. It pays for every weight of bf16 that is the right factor of
a product with its terms side by side: linear layers, convolutions with channels last.
"""

from devproc.algorithms.base import Algorithm
from devproc.algorithms.bf16_dot.layout import pair_layout, refuse_layout
from devproc.algorithms.bf16_dot.plan import match, plan, refuse
from devproc.dialects.sched.contraction import Bf16DotSchedule

ALGORITHM = Algorithm(
    schedule=Bf16DotSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=pair_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
)
