"""Contractions of bf16 in pairs of terms, with sums in f32.

    out[m, n] += x[m, 2i] * w[n, 2i] + x[m, 2i + 1] * w[n, 2i + 1]

A lane of 32 bits holds a pair of terms of a row or column. AVX-512's `vdpbf16ps`
(Intel, "bfloat16 - Hardware Numerics Definition", 2018) multiplies and adds both
products in each of 16 lanes: half as many instructions as with a multiply-add for each
term. On other processors a pair is widened to two floats of 32 bits, one by a shift,
one by a mask:

    for each panel of columns, for each tile of rows:
        9 x 2 sums = 0
        for each pair of terms:
            2 vectors of pairs of the panel
            for each of 9 rows: broadcast a pair of x, 2 vdpbf16ps
        epilogue on the sums, 18 stores

The instruction flushes denormal inputs and sums (below 2**-126) to zero, so pairs are
widened with `precision = "strict"`. It pays for every bf16 weight that is the right
factor of a product with contiguous terms: linear layers, convolutions with channels
last.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched.contraction import Bf16DotSchedule
from devproc.targets.cpu.algorithms.bf16_dot.layout import pair_layout, refuse_layout
from devproc.targets.cpu.algorithms.bf16_dot.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=Bf16DotSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=pair_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
)
