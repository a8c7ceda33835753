"""Into how many parts the sums of a product are split over K (split-K), by the estimate of
its tiles."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.targets.triton.algorithms.block_tile.tiles import (
    L2_BYTES,
    LAUNCH,
    Product,
    best_tile,
)
from devproc.targets.triton.archs import Arch

MOST_PARTS = 16
"""Parts of a sum that one thread of the second kernel adds."""
SHORTEST_PART = 128
"""Terms of a part, at least."""
WORTHWHILE, NEARLY = 0.9, 1.05
"""Estimates that are closer than this are not told apart."""


@cache
def split_costs(product: Product, arch: Arch) -> dict[int, float]:
    """The cycles of a product by the parts into which its sums are split, each computed by
    programs of its own; empty if no tile fits.

    A second kernel adds the parts: it costs a launch, and the parts pass through memory.
    """
    whole = best_tile(product, arch)
    if whole is None:
        return {}
    costs = {1: whole[1]}
    if product.programs(whole[0]) >= arch.processors:
        return costs
    for parts in range(2, MOST_PARTS + 1):
        terms = product.k // parts
        if product.k % parts or terms % SMALLEST_DOT or terms < SHORTEST_PART:
            continue
        found = best_tile(
            replace(product, k=terms, batch=product.batch * parts, is_simple=True), arch
        )
        if found is not None:
            moved = 8 * parts * product.m * product.n * product.batch
            second = LAUNCH * arch.clock + moved / (L2_BYTES * arch.processors)
            costs[parts] = found[1] + second
    return costs


def best_split(product: Product, arch: Arch) -> int:
    """The parts of the smallest estimate; few are preferred, and one where more do not
    clearly gain."""
    costs = split_costs(product, arch)
    least = min(costs.values(), default=0)
    if least > WORTHWHILE * costs.get(1, 0):
        return 1
    return next((parts for parts, cost in costs.items() if cost <= NEARLY * least), 1)
