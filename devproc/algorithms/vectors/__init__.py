"""Nests in vectors along the loop in which their results are contiguous.

Pointwise ops, fills and copies, indexed loads, and reductions over other loops than that:
column sums, pooling. Each tile is a few vectors side by side: their accumulators stay in
registers through the reduction loops and the epilogue, and are stored once. A ragged end
is one more tile whose last vector is masked, or ends with the loop and repeats a few
elements. Where inputs are contiguous along another loop, that loop is walked within each
tile, a square of vectors at a time, transposed in registers (`squares.py`). Long sums of
floats run in short blocks that are added by two-sum (Knuth, The Art of Computer
Programming 2, 4.2.2).

    linalg.generic ins(%x, %z) outs(%y) { addf }      // 8 x 100, all contiguous

by `#sched.vectors<loop = 0, lanes = 16, vectors = 4, ..., ragged = mask, ...>` over the
800 merged iterations becomes

    scf.for %i = 0 to 768 step 64 { 4 x (2 vector.load, arith.addf, vector.store) }
    2 x the same                                      // the last 32

It takes what no other algorithm takes and has such a loop.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.algorithms.vectors.match import match
from devproc.algorithms.vectors.plan import plan, refuse
from devproc.dialects.sched import VectorsSchedule

ALGORITHM = Algorithm(VectorsSchedule, match, plan, refuse)
