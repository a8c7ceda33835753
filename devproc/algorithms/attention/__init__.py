"""Attention, `softmax(q k^T * scale + mask) v`, a tile of queries at a time.

All scores of a tile stay in a cache, so that they never go through memory, and the maximum
of a row is exact before its first exponential: nothing is rescaled, unlike in
FlashAttention (Dao and others, 2022), whose fast memory holds no row of scores.

    for each head:
        transpose the keys into panels [panel][d][2 vectors of keys]
        for each tile of 10 queries:
            for each panel: 10 x 2 sums over d, scale and mask; store scores, keep maxima
            for each query: exp(score - maximum) in place of the scores, and their sum
            for each 2 vectors of values: 10 x 2 sums over the keys, divided; 20 stores

It takes every kernel of attention. A mask of bools is read when the kernel runs: panels
of keys after the last one that a tile sees are left out.
"""

from devproc.algorithms.attention.nest import match
from devproc.algorithms.attention.plan import plan, refuse
from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import AttentionSchedule

ALGORITHM = Algorithm(
    schedule=AttentionSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    exclusive=True,
)
