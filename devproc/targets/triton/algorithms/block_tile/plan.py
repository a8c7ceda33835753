"""Whether `tl.dot` can compute the ops of a kernel, and in which tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTileSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.roles import Contraction, roles_of
from devproc.targets.triton.algorithms.block_tile.tiles import (
    Product,
    best_tile,
    estimates,
    grouped,
    shortlist,
)
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import dot_precision, precision_problem
from devproc.targets.triton.transforms.to_triton.generic import memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import size_problem
from devproc.targets.triton.transforms.to_triton.walk import Step, walk


@dataclass(frozen=True)
class Tiling:
    """A nest whose anchor is a product."""

    roles: Contraction
    steps: list[Step]


def tiling_of(nest: BlockNest) -> Tiling | Refusal:
    """The product of a nest, and the position of each op in its results."""
    anchor = nest.anchor
    reducing = [generic for generic in nest.generics if generic.reductions]
    if len(reducing) != 1:
        return Refusal(f"{len(reducing)} ops reduce, not one")
    roles = roles_of(anchor)
    if isinstance(roles, Refusal):
        return roles
    steps = walk(nest, anchor, anchor.parallels, defers=lambda number: True)
    return steps if isinstance(steps, Refusal) else Tiling(roles, steps)


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
    found = best_tile(product, arch)
    if found is None:
        return Refusal(f"no tile fits {arch.name}")
    schedule, _ = found
    problem = refuse(nest, schedule, target)
    if problem is not None:
        return Refusal(problem)
    programs = product.programs(schedule)
    waves = programs / arch.processors
    return Choice(
        schedule,
        f"{product.m} x {product.n} results of {product.k} terms: {programs} programs,"
        f" {waves:.2f} for each of {arch.processors} processors",
    )


def offer(
    nest: BlockNest, family: str, target: TargetAttr
) -> Sequence[BlockTileSchedule]:
    """Tiles for a tuner, those of the smallest estimates first."""
    tiling = tiling_of(nest)
    if isinstance(tiling, Refusal):
        return ()
    arch, product = arch_of(target), product_of(nest, tiling.roles, target)
    found = shortlist(estimates(product, arch))
    return [grouped(tile, product, arch) for tile in found]


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


def refuse(
    nest: BlockNest, schedule: BlockTileSchedule, target: TargetAttr
) -> str | None:
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
