"""Whether `tl.dot` can compute the ops of a kernel, and in which tiles.

The sizes are rules of thumb from published Triton tuning, not measurements. Under
Triton's interpreter tiles are as large as the cache allows NumPy: its cost is per
operation rather than per element.
"""

from __future__ import annotations

from dataclasses import dataclass

from devproc.algorithms.base import Choice, Decision, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTileSchedule
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.roles import Contraction, roles_of
from devproc.targets.triton.dialect.options import is_interpreted
from devproc.targets.triton.transforms.to_triton.generic import memref_of
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.walk import Step, walk

PRECISIONS = {"strict": "ieee", "default": "ieee", "fast": "tf32x3"}
"""How f32 is multiplied. Triton's own default, tf32, has three decimal digits."""


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
    m, n, k, _ = tiling.roles.sizes
    if min(m, n) == 1:
        return Refusal("a matrix-vector product gains nothing from tl.dot")
    schedule = schedule_of(tiling.roles, target)
    problem = refuse(nest, schedule, target)
    if problem is not None:
        return Refusal(problem)
    tiles = f"{ceil_div(m, schedule.m)} x {ceil_div(n, schedule.n)}"
    return Choice(schedule, f"{m} x {n} results of {k} terms are {tiles} tiles")


def schedule_of(roles: Contraction, target: TargetAttr) -> BlockTileSchedule:
    """The tile of one program."""
    m, n, k, _ = (max(power_of_two(size), SMALLEST_DOT) for size in roles.sizes)
    factor = memref_of(roles.generic.inputs[roles.a]).element_type
    warps, stages = 4, 1
    if is_interpreted(target):
        m, n = min(m, 1024), min(n, 256)
        # NumPy processes one block per operation: stay within the cache.
        k = min(k, 1024, (1 << 17) // max(m, n))
    elif item_size(factor) > 2:
        # Exact float32 has no tensor cores: the accumulator fills the registers.
        m, n, k, stages = min(m, 64), min(n, 64), min(k, 32), 2
    else:
        m, n, k, stages = min(m, 128), min(n, 128), min(k, 64), 3
        warps = 8 if m * n >= 1 << 14 else 4
    return BlockTileSchedule(
        m=m, n=n, k=k, warps=warps, stages=stages, group=1, split_k=1,
        precision=PRECISIONS[target.precision.data],
    )  # fmt: skip


def refuse(
    nest: BlockNest, schedule: BlockTileSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    tiling = tiling_of(nest)
    if isinstance(tiling, Refusal):
        return tiling.why
    m, n, _, batches = tiling.roles.sizes
    tiles_m, tiles_n = ceil_div(m, schedule.m), ceil_div(n, schedule.n)
    if tiles_m % schedule.group:
        return f"'group' must divide the {tiles_m} tiles of {schedule.m} rows"
    if schedule.split_k != 1:
        return "'split_k' must be 1: each program computes whole sums"
    if target.precision.data == "strict" and schedule.precision != "ieee":
        return "'precision' must be ieee where the target's is strict"
    return (
        size_problem(schedule.m, schedule.n, grid=(tiles_m * tiles_n, batches))
        or size_problem(schedule.m, schedule.k)
        or size_problem(schedule.k, schedule.n)
    )
