"""Whether products into the same results are one kernel, by the estimate for tiles."""

from __future__ import annotations

from collections.abc import Sequence

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.ir.program.structured import Generic
from devproc.targets.triton.algorithms.block_tile.plan import product_of_roles
from devproc.targets.triton.algorithms.block_tile.splits import split_costs
from devproc.targets.triton.algorithms.block_tile.tiles import LAUNCH, Product
from devproc.targets.triton.algorithms.implicit_gemm.convolution import (
    Convolution,
    convolution_of,
    has_same_results,
    has_window,
)
from devproc.targets.triton.algorithms.implicit_gemm.plan import sizes_of_products
from devproc.targets.triton.algorithms.implicit_gemm.tiles import best_tile
from devproc.targets.triton.archs import Arch, arch_of
from devproc.targets.triton.transforms.to_triton.generic import generic_of


def is_faster_jointly(
    ops: Sequence[Generic], are_added: bool, target: TargetAttr
) -> bool:
    """Whether one kernel computes products into the same results faster than a kernel for
    each, of which all but the last store theirs and the last reads them.

    `are_added`: whether all use one accumulator; else results are held meanwhile. Sums that
    are split over K are cheaper apart where few tiles leave processors without work.
    """
    products: list[Convolution] = []
    for op in ops:
        found = convolution_of(generic_of(op))
        if isinstance(found, Refusal):
            return False
        products.append(found)
    first = products[0].roles
    m, n, _, batch = first.sizes
    if m == 1 or not first.n:
        return False
    if not all(has_same_results(first, product.roles) for product in products):
        return False
    arch = arch_of(target)
    size = sizes_of_products(products[:1], target).bytes
    held = 0 if are_added else size
    joint = best_tile(sizes_of_products(products, target, held), arch)
    costs = [cycles_alone(product, target, arch) for product in products]
    if joint is None or None in costs:
        return False
    read = m * n * batch * size * arch.clock / arch.bandwidth
    between = (len(products) - 1) * (LAUNCH * arch.clock + read)
    return joint[1] < between + sum(cost for cost in costs if cost is not None)


def cycles_alone(product: Convolution, target: TargetAttr, arch: Arch) -> float | None:
    """The cycles of a kernel, or of two where its sums are split; None if no tile fits."""
    if has_window(product.roles):
        found = best_tile(sizes_of_products([product], target), arch)
        return None if found is None else found[1]
    sizes: Product = product_of_roles(product.roles, target)
    return min(split_costs(sizes, arch).values(), default=None)
