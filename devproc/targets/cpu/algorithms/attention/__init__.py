"""Attention, `softmax(q k^T * scale + mask) v`, a tile of queries at a time.

All scores of a tile stay in cache and never reach main memory, and the maximum of a row
is known before its first exponential. So nothing is rescaled, unlike in FlashAttention
(Dao and others, 2022), where a row of scores does not fit the fast memory.

    for each head:
        transpose the keys into panels [panel][d][2 vectors of keys]
        for each tile of 10 queries:
            for each panel: 10 x 2 sums over d, scale and mask; store scores, keep maxima
            for each query: exp(score - maximum) in place of the scores, and their sum
            for each 2 vectors of values: 10 x 2 sums over the keys, divided; 20 stores

It computes every attention kernel. A boolean mask is read at run time: panels of keys
after the last one visible to a tile are skipped.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import AttentionSchedule
from devproc.targets.cpu.algorithms.attention.nest import match
from devproc.targets.cpu.algorithms.attention.plan import plan, refuse

ALGORITHM = Algorithm(
    schedule=AttentionSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    straight_code=("attention",),
    exclusive=True,
)
