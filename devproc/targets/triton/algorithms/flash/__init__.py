"""Attention, `softmax(q k^T * scale + mask) v`, with an online softmax.

A program computes a block of queries of one head. It visits the keys block by block and
keeps the largest score so far, the sum of the weights and the weighted values of each
query in registers; where a block raises the maximum, the others are scaled down (Dao and
others, "FlashAttention: fast and memory-efficient exact attention", 2022). Scores never
reach memory.

    program (head, block of queries):
        m, l, acc = lowest, 0, 0
        for keys t in blocks that the queries see:
            s = dot(q, k[t]) * scale, minus infinity where hidden
            new = max(m, max(s))
            p, down = exp(s - new), exp(m - new)
            m, l, acc = new, l * down + sum(p), dot(p, v[t], acc * down)
        acc / l -> out

A causal mask or a sliding window (the band of `nn.attention`) bounds the loop over keys:
blocks that all queries see whole have no mask, those at the edges of the band have one.
A few queries that share keys (heads of grouped queries) are rows of one block. Where the
keys are split in parts (`split-keys`), a part is one more head, whose `m`, `l` and `acc`
are stored; a reduction combines them.

In half precision p is rounded to the dtype of the values for the second product; all else
is float32. It computes every attention kernel of the GPU.
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import FlashSchedule
from devproc.targets.triton.algorithms.flash.nest import match
from devproc.targets.triton.algorithms.flash.plan import offer, plan, refuse

ALGORITHM = Algorithm(FlashSchedule, match, plan, refuse, offer, exclusive=True)
