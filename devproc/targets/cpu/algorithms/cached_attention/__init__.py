"""Attention over the rows of a cache that are in use, a block of keys at a time.

The rows of queries that share keys (those of a group of heads, and of several tokens)
form one small product, so that each key and value is read once. Their bounds are read at
run time; rows of the cache outside of them are not touched. After each block the results
so far are rescaled to the new maxima (Milakov and Gimelshein, 2018; Dao and others, 2022),
so the scores of a block stay in the nearest cache, whatever the capacity is.

    for each head of keys, and each part of its keys in use:
        for each block of keys:
            for each few keys: rows x keys dot products; scale and mask; keep maxima
            for each few keys: exp(score - maximum), and their sums; times scales of values
            for each few vectors of values: rows x vectors sums over the keys
            results = results * exp(old maximum - new maximum) + sums
    combine the parts (flash decoding; Dao and others, 2023), divide by the sums

With fewer heads than threads, the keys in use are split in parts, which threads share.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import CachedAttentionSchedule
from devproc.targets.cpu.algorithms.cached_attention.nest import match
from devproc.targets.cpu.algorithms.cached_attention.plan import plan, refuse

ALGORITHM = Algorithm(
    schedule=CachedAttentionSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    straight_code=("attention",),
    exclusive=True,
)
"""Emits attention over a cache: a few rows of queries with blocks of keys."""
