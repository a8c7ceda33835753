"""The tile of a convolution, by the estimate for tiles of products.

A step covers channels of one tap, so the last one of each tap may be partly empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from devproc.dialects.sched import BlockTileSchedule, ImplicitGemmSchedule
from devproc.targets.triton.algorithms.block_tile.tiles import (
    L2_BYTES,
    LAUNCH,
    START,
    Load,
    Product,
    candidates,
    preferred,
)
from devproc.targets.triton.archs import Arch
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div

DEPTHS = (16, 32, 64, 128)
"""Terms of a step."""
PARTS = (2, 4, 8, 16, 32)
LEAST_GAIN = 0.9
"""Parts pay if they take at most this share of the time: a launch more is certain, the
estimate is not."""
SPLIT_IMAGE = 1.3
"""Factor of the estimate where factors of f32 are split for a warpgroup: pixels are gathered
between its products."""


@dataclass(frozen=True)
class Sizes:
    """A convolution as a product; `terms` are those of one tap."""

    pixels: int
    channels: int
    taps: int
    terms: int
    batch: int
    bytes: int
    precision: str
    others: tuple[tuple[int, int], ...] = ()
    """Taps and terms of further products into the same results."""
    held: int = 0
    """Bytes of each result that a program holds besides the accumulators."""

    @property
    def most_taps(self) -> int:
        """The taps of the product with most of them."""
        return max(self.taps, *(taps for taps, _ in self.others), 0)

    def product(self, depth: int) -> Product:
        """The product for steps of so many terms."""
        sums = (self.taps, self.terms), *self.others
        k = sum(taps * ceil_div(terms, depth) * depth for taps, terms in sums)
        return Product(
            self.pixels, self.channels, k, self.batch, self.bytes, self.precision,
            # Normalisation and residual take registers beside the accumulators.
            is_simple=False, held=self.held,
        )  # fmt: skip


def estimates(sizes: Sizes, arch: Arch) -> list[tuple[BlockTileSchedule, float]]:
    """The tiles that fit, and their cycles."""
    found: list[tuple[BlockTileSchedule, float]] = []
    for depth in DEPTHS:
        product = sizes.product(depth)
        for tile in candidates(product, arch):
            load = Load(product, tile, arch)
            splits = load.has_warpgroups and product.products > 1
            is_split = splits and sizes.most_taps > 1
            if tile.k == depth:
                found.append((tile, load.cycles * (SPLIT_IMAGE if is_split else 1)))
    return found


def of_pixels(tile: BlockTileSchedule) -> ImplicitGemmSchedule:
    """The tile of a product as one of a convolution."""
    return ImplicitGemmSchedule(
        m=tile.m, n=tile.n, k=tile.k, warps=tile.warps, stages=tile.stages, group=1,
        precision=tile.precision,
    )  # fmt: skip


@cache
def best_tile(sizes: Sizes, arch: Arch) -> tuple[ImplicitGemmSchedule, float] | None:
    """The tile of the smallest estimate, and its cycles; None if none fits."""
    found = estimates(sizes, arch)
    if not found:
        return None
    tile, cycles = preferred(found, sizes.product(1), arch)
    return of_pixels(tile), cycles


@cache
def best_parts(sizes: Sizes, side: int | None, arch: Arch) -> int:
    """The parts into which each sum is split: of its channels, or of a side of the window.

    A second kernel adds the parts: it costs a launch, and the parts pass through memory.
    """
    whole = best_tile(sizes, arch)
    if whole is None:
        return 1
    schedule, cycles = whole
    tiles = ceil_div(sizes.pixels, schedule.m) * ceil_div(sizes.channels, schedule.n)
    if tiles * sizes.batch >= arch.processors:
        return 1
    costs = {1: cycles * LEAST_GAIN}
    for parts in PARTS:
        part = part_of(sizes, side, parts)
        found = None if part is None else best_tile(part, arch)
        if found is not None:
            moved = 8 * parts * sizes.pixels * sizes.channels * sizes.batch
            read = moved / (L2_BYTES * arch.processors)
            second = LAUNCH * arch.clock + START + read
            costs[parts] = found[1] + second
    return min(costs, key=lambda parts: costs[parts])


def part_of(sizes: Sizes, side: int | None, parts: int) -> Sizes | None:
    """The products of all parts; None if they are too short or not equal."""
    batch = sizes.batch * parts
    if side is not None:
        taps = sizes.taps // parts
        return None if side % parts else replace(sizes, taps=taps, batch=batch)
    terms = sizes.terms // parts
    if sizes.terms % parts or terms < DEPTHS[0]:
        return None
    return replace(sizes, terms=terms, batch=batch)
