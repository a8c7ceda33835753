"""The tile of a convolution, from its size and the GPU."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import ImplicitGemmSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.tiles import shortlist
from devproc.targets.triton.algorithms.implicit_gemm.convolution import (
    Convolution,
    convolution_of,
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
    """Tiles of pixels and channels, for convolutions of channels-last images."""
    if family not in ("contraction", "window"):
        return Refusal(f"a kernel of family '{family}' is no product")
    found = convolution_of(nest)
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
    problem = refuse(nest, schedule, target)
    if problem is not None:
        return Refusal(problem)
    tiles = f"{ceil_div(m, schedule.m)} x {ceil_div(n, schedule.n)}"
    return Choice(
        schedule,
        f"{m} pixels x {n} channels of {sizes.taps} x {sizes.terms} terms are"
        f" {tiles} tiles",
    )


def offer(
    nest: BlockNest, family: str, target: TargetAttr
) -> Sequence[ImplicitGemmSchedule]:
    """Tiles for a tuner, those of the smallest estimates first."""
    found = convolution_of(nest)
    if isinstance(found, Refusal):
        return ()
    tiles = estimates(sizes_of(found, target), arch_of(target))
    return [of_pixels(tile) for tile in shortlist(tiles)]


def sizes_of(found: Convolution, target: TargetAttr) -> Sizes:
    """The sizes of a convolution as a product."""
    m, n, _, batch = found.roles.sizes
    image = found.roles.generic.inputs[found.roles.a]
    return Sizes(
        m, n, found.tap_count, found.terms, batch,
        item_size(memref_of(image).element_type), dot_precision(target),
    )  # fmt: skip


def refuse(
    nest: BlockNest, schedule: ImplicitGemmSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = convolution_of(nest)
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
