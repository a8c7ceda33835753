"""Whether `tl.dot` can compute the ops of a kernel, and in which tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir.affine import AffineExpr

from devproc.algorithms.base import Decision, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTileSchedule
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_rows.combiners import combiners
from devproc.targets.triton.algorithms.block_tile.roles import Contraction, roles_of
from devproc.targets.triton.algorithms.block_tile.tiles import (
    WITH_DESCRIPTORS,
    AnyTile,
    Product,
    best_tile,
    described,
    estimates,
    grouped,
    shortlist,
)
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import dot_precision, precision_problem
from devproc.targets.triton.transforms.to_triton.generic import Generic, memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import size_problem
from devproc.targets.triton.transforms.to_triton.walk import Step, walk


@dataclass(frozen=True)
class Tiling:
    """A nest whose anchor is a product, or several of the same rows."""

    products: list[Contraction]
    steps: list[Step]
    rows: Sequence[Generic] = ()
    """The sums over the only row of the first factor, which its elements depend on."""

    @property
    def roles(self) -> Contraction:
        """The roles of the loops, which are those of each product."""
        return self.products[0]


def tiling_of(nest: BlockNest, *, with_rows: bool = False) -> Tiling | Refusal:
    """The products of a nest, and the position of each op in their results; `with_rows`:
    sums over the only row of the first factor may come before them."""
    products, rows = list[Contraction](), list[Generic]()
    for generic in nest.generics:
        if not generic.reductions:
            continue
        if with_rows and not products and is_row_sum(generic, nest.anchor):
            rows.append(generic)
            continue
        roles = roles_of(generic)
        if isinstance(roles, Refusal):
            return roles
        if products and not has_same_rows(products[0], roles):
            return Refusal("its products have different rows or loops")
        products.append(roles)
    if not products:
        return Refusal("no op reduces")
    anchor = nest.anchor
    steps = walk(
        nest,
        anchor,
        anchor.parallels,
        defers=lambda number: True,
        own_dims=lambda generic: row_dims(generic, anchor) if generic in rows else None,
    )
    if isinstance(steps, Refusal):
        return steps
    first = max((s.number for s in steps if s.generic in rows), default=-1) + 1
    return Tiling(products, [*steps[:first], *in_turn(steps[first:])], rows)


def is_row_sum(generic: Generic, product: Generic) -> bool:
    """Whether an op, which is not a product itself, sums up a single row, as long as the
    sums of the product."""
    found = combiners(generic)
    return (
        generic is not product
        and not isinstance(found, Refusal)
        and all(combiner.kind == "sum" for combiner in found)
        and len(generic.outputs) == 1
        and all(generic.extents[d] == 1 for d in generic.parallels)
        and [generic.extents[d] for d in generic.reductions]
        == [product.extents[d] for d in product.reductions]
    )


def row_dims(generic: Generic, product: Generic) -> list[AffineExpr]:
    """The dimensions of the sum of a row, in those of the product."""
    dims = [AffineExpr.constant(0)] * len(generic.extents)
    for own, there in zip(generic.reductions, product.reductions, strict=True):
        dims[own] = AffineExpr.dimension(there)
    return dims


def has_same_rows(first: Contraction, second: Contraction) -> bool:
    """Whether two products multiply the same rows, in the same loops."""
    a, b = first.generic, second.generic
    return (
        replace(second, generic=a) == first
        and a.extents == b.extents
        and a.inputs[first.a] is b.inputs[second.a]
        and a.maps[first.a] == b.maps[second.a]
    )


def in_turn(steps: Sequence[Step]) -> list[Step]:
    """Steps with what initialises the sums of products before all of them."""
    last = max(step.number for step in steps if step.generic.reductions)
    before = [s for s in steps if s.number < last and not s.generic.reductions]
    return [*before, *(step for step in steps if step not in before)]


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """A tile for each program, for products of matrices and convolutions."""
    if family not in ("contraction", "window"):
        return Refusal(f"a kernel of family '{family}' is no product")
    tiling = tiling_of(nest)
    if isinstance(tiling, Refusal):
        return tiling
    arch, product = arch_of(target), product_of(nest, tiling.roles, target)
    if min(product.m, product.n) == 1:
        return Refusal("a matrix-vector product gains nothing from tl.dot")
    count = len(tiling.products)
    found = best_tile(replace(product, n=product.n * count), arch)
    if found is None:
        return Refusal(f"no tile fits {arch.name}")
    schedule = shared(found[0], count)
    programs = product.programs(schedule)
    waves = programs / arch.processors
    several = f" in {count} products" if count > 1 else ""
    why = (
        f"{product.m} x {product.n} results of {product.k} terms{several}: {programs}"
        f" programs, {waves:.2f} for each of {arch.processors} processors"
    )
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def offer(nest: BlockNest, family: str, target: TargetAttr) -> Sequence[AnyTile]:
    """Tiles for a tuner, those of the smallest estimates first; the first of them also by
    persistent programs, which may not be legal."""
    tiling = tiling_of(nest)
    if isinstance(tiling, Refusal):
        return ()
    arch, product = arch_of(target), product_of(nest, tiling.roles, target)
    count = len(tiling.products)
    found = shortlist(estimates(replace(product, n=product.n * count), arch))
    tiles = [grouped(shared(tile, count), product, arch) for tile in found]
    if not arch.has_tensor_copies or product.bytes != 2:
        # Factors of f32 are split in registers, through which descriptors do not pass.
        return tiles
    best = tiles[:WITH_DESCRIPTORS]
    persistent = (form for tile in best for form in described(tile, product, arch))
    return [*best, *persistent, *tiles[WITH_DESCRIPTORS:]]


def shared(tile: BlockTileSchedule, count: int) -> BlockTileSchedule:
    """The tile of each of several products, which share the columns of one."""
    return tile.replace(n=max(tile.n // count, SMALLEST_DOT)) if count > 1 else tile


def product_of(nest: BlockNest, roles: Contraction, target: TargetAttr) -> Product:
    """The sizes of a nest's product."""
    last = nest.generics[-1]
    is_simple = not any(op.dialect_name() == "math" for op in last.op.walk())
    return product_of_roles(roles, target, is_simple)


def product_of_roles(
    roles: Contraction, target: TargetAttr, is_simple: bool = True
) -> Product:
    """The sizes of a product; `is_simple`: what follows is cheap."""
    m, n, k, batch = roles.sizes
    factor = memref_of(roles.generic.inputs[roles.a]).element_type
    return Product(m, n, k, batch, item_size(factor), dot_precision(target), is_simple)


def refuse(nest: BlockNest, schedule: AnyTile, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a nest."""
    tiling = tiling_of(nest)
    if isinstance(tiling, Refusal):
        return tiling.why
    tiles = product_of(nest, tiling.roles, target).programs(schedule)
    return (
        precision_problem(schedule.precision, target)
        or size_problem(schedule.m, schedule.n, grid=(tiles,))
        or size_problem(schedule.m, schedule.k)
        or size_problem(schedule.k, schedule.n)
    )
