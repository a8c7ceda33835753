"""The tile of a convolution, from its size and the GPU."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BoxGemmSchedule, ImplicitGemmSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.tiles import (
    GROUP,
    WITH_DESCRIPTORS,
    shortlist,
)
from devproc.targets.triton.algorithms.implicit_gemm.convolution import (
    Convolution,
    Sums,
    sums_of,
)
from devproc.targets.triton.algorithms.implicit_gemm.tiles import (
    Sizes,
    best_tile,
    estimates,
    of_pixels,
)
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import dot_precision, precision_problem
from devproc.targets.triton.transforms.to_triton.generic import memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, size_problem


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Tiles of pixels and channels, for convolutions of channels-last images, and for
    products that are added up or meet in an elementwise op."""
    if family not in ("contraction", "window"):
        return Refusal(f"a kernel of family '{family}' is no product")
    found = sums_of(nest)
    if isinstance(found, Refusal):
        return found
    m, n, _, _ = found.roles.sizes
    if m == 1 or not found.roles.n:
        return Refusal("tl.dot would multiply a single row or column")
    sizes = sizes_of(found, target)
    best = best_tile(sizes, arch_of(target))
    if best is None:
        return Refusal(f"no tile fits {arch_of(target).name}")
    schedule, _ = best
    if not any(product.taps for product in found.products) and m > GROUP * schedule.m:
        # Factors that are matrices, as in `block_tile`: tiles of columns share L2.
        schedule = schedule.replace(group=GROUP)
    tiles = f"{ceil_div(m, schedule.m)} x {ceil_div(n, schedule.n)}"
    sums = (sizes.taps, sizes.terms), *sizes.others
    terms = " + ".join(f"{taps} x {terms}" for taps, terms in sums)
    why = f"{m} pixels x {n} channels of {terms} terms are {tiles} tiles"
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def offer(
    nest: BlockNest, family: str, target: TargetAttr
) -> Sequence[ImplicitGemmSchedule | BoxGemmSchedule]:
    """Tiles for a tuner, those of the smallest estimates first; the first of them also as
    boxes, which may not be legal."""
    found = sums_of(nest)
    if isinstance(found, Refusal):
        return ()
    sizes, arch = sizes_of(found, target), arch_of(target)
    tiles = [of_pixels(tile) for tile in shortlist(estimates(sizes, arch))]
    is_one = len(found.products) == 1 and len(found.roles.m) == 3
    if not arch.has_tensor_copies or sizes.bytes != 2 or not is_one:
        return tiles
    best = tiles[:WITH_DESCRIPTORS]
    boxes = [as_box(tile, found.products[0]) for tile in best]
    return [*best, *boxes, *tiles[WITH_DESCRIPTORS:]]


def as_box(tile: ImplicitGemmSchedule, found: Convolution) -> BoxGemmSchedule:
    """The tile with its pixels in the rectangle that covers the results with the fewest
    besides them; of equal ones, the one nearest to a square."""
    *_, down, across = (found.roles.generic.extents[d] for d in found.roles.m)

    def waste(columns: int) -> tuple[int, int]:
        rows = tile.m // columns
        covered = ceil_div(down, rows) * rows * ceil_div(across, columns) * columns
        return covered, rows + columns

    columns = min((1 << n for n in range(tile.m.bit_length())), key=waste)
    return BoxGemmSchedule(
        rows=tile.m // columns, columns=columns, n=tile.n, k=tile.k, warps=tile.warps,
        stages=tile.stages, precision=tile.precision,
    )  # fmt: skip


def sizes_of(found: Sums, target: TargetAttr) -> Sizes:
    """The sizes of the products of a nest."""
    return sizes_of_products(found.products, target, found.held)


def sizes_of_products(
    products: Sequence[Convolution], target: TargetAttr, held: int = 0
) -> Sizes:
    """The sizes of products into the same results; `held`: bytes of each result that
    earlier ones leave in registers."""
    first, *others = products
    m, n, _, batch = first.roles.sizes
    image = first.roles.generic.inputs[first.roles.a]
    return Sizes(
        m, n, first.tap_count, first.terms, batch,
        item_size(memref_of(image).element_type), dot_precision(target),
        tuple((product.tap_count, product.terms) for product in others), held,
    )  # fmt: skip


def refuse(
    nest: BlockNest, schedule: ImplicitGemmSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = sums_of(nest)
    if isinstance(found, Refusal):
        return found.why
    m, n, _, batches = found.roles.sizes
    tiles = ceil_div(m, schedule.m) * ceil_div(n, schedule.n) * batches
    return (
        precision_problem(schedule.precision, target)
        or size_problem(schedule.m, schedule.n, grid=(tiles,))
        or size_problem(schedule.m, schedule.k)
        or size_problem(schedule.k, schedule.n)
    )
