"""Nests vectorised along the loop in which their results are contiguous.

Pointwise ops, fills and copies, indexed loads, and reductions over other loops: column
sums, pooling. Each tile is a few adjacent vectors: their accumulators stay in registers
through the reduction loops and the epilogue, and are stored once. A ragged end is
another tile whose last vector is masked, or ends with the loop and repeats a few
elements. If inputs are contiguous along another loop, that loop runs within each tile,
and squares of vectors are transposed in registers (`squares.py`). Long float sums are
computed in short blocks that are added by two-sum (Knuth, The Art of Computer
Programming 2, 4.2.2).

    linalg.generic ins(%x, %z) outs(%y) { addf }      // 8 x 100, all contiguous

by `#sched.vectors<loop = 0, lanes = 16, vectors = 4, ..., ragged = mask, ...>` over the
800 merged iterations becomes

    scf.for %i = 0 to 768 step 64 { 4 x (2 vector.load, arith.addf, vector.store) }
    2 x the same                                      // the last 32

It computes every nest with such a loop that no other algorithm accepts.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.match import match
from devproc.targets.cpu.algorithms.vectors.plan import plan, refuse

ALGORITHM = Algorithm(
    VectorsSchedule,
    match,
    plan,
    refuse,
    tiled=True,
    straight_code=("window",),
)
