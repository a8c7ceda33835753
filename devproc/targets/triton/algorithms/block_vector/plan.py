"""Whether a product has a side of one, and how much of the matrix one program reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devproc.algorithms.base import Decision, KernelOps, Refusal, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockVectorSchedule
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_tile.plan import Tiling, tiling_of
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    strides_of,
)
from devproc.targets.triton.transforms.to_triton.nest import BlockNest, whole
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)
from devproc.targets.triton.transforms.to_triton.space import linear_form

THREAD_BYTES = 128
"""Bytes of the matrix that a thread has in flight: eight loads of 16 bytes."""
WARPS = 4
LONGEST_STEP = 2048
LONGEST_ROW_STEP = 4096
"""Elements of the vector that a program has in registers for a sum over it."""
LINE = 128
"""Bytes of a cache line."""


class VectorNest(BlockNest):
    """The ops of a product, perhaps after those that make its vector (a norm)."""

    @property
    def anchor(self) -> Generic:
        """The last reduction: others before it may be sums over the vector."""
        reductions = [g for g in self.generics if g.reductions]
        return (reductions or self.generics)[-1]


def match(kernel: KernelOps) -> Iterator[VectorNest]:
    """All ops of a kernel as one nest."""
    return (VectorNest(nest.generics) for nest in whole(kernel))


@dataclass(frozen=True)
class Stream:
    """A product whose matrix is read once, or several of one vector."""

    tiling: Tiling
    rows: int
    """The results."""
    terms: int
    bytes: int
    """The size of an element of the matrix."""
    along_terms: bool
    """Whether the terms of a sum are contiguous in the matrix."""


def stream_of(nest: BlockNest) -> Stream | Refusal:
    """The matrix and the vector of a nest, or why it has none."""
    tiling = tiling_of(nest, with_rows=True)
    if isinstance(tiling, Refusal):
        return tiling
    roles = tiling.roles
    m, n, k, batch = roles.sizes
    if min(m, n) > 1:
        return Refusal("it multiplies matrices")
    if tiling.rows and m * batch > 1:
        return Refusal("its vectors have sums of their own")
    matrix = roles.b if m == 1 else roles.a
    value = roles.generic.inputs[matrix]
    steps = zip(
        roles.generic.maps[matrix].results, strides_of(memref_of(value)), strict=True
    )
    along = any(
        step == 1 and (form := linear_form(expr)) and set(dict(form.terms)) & {*roles.k}
        for expr, step in steps
    )
    size = item_size(memref_of(value).element_type)
    return Stream(tiling, max(m, n) * batch, k, size, along)


def plan(nest: BlockNest, family: str, target: TargetAttr) -> Decision:
    """Steps of as many elements as are in flight at a time."""
    if family not in ("contraction", "vector_product", "window"):
        return Refusal(f"a kernel of family '{family}' is no product")
    found = stream_of(nest)
    if isinstance(found, Refusal):
        return found
    held = 32 * WARPS * THREAD_BYTES // found.bytes // len(found.tiling.products)
    # Every processor gets results.
    most = power_of_two(ceil_div(found.rows, arch_of(target).processors))
    if found.along_terms:
        step = min(power_of_two(found.terms), LONGEST_STEP, held)
        rows = min(held // step, most)
    else:
        rows = min(max(most, LINE // found.bytes), held, power_of_two(found.rows))
        step = min(held // rows, power_of_two(found.terms))
    schedule = BlockVectorSchedule(rows=rows, step=step, warps=WARPS)
    why = (
        f"{found.rows} results of {found.terms} terms: {ceil_div(found.rows, rows)}"
        f" programs read {rows} x {step} elements at a time"
    )
    return choice_or_refusal(schedule, why, refuse(nest, schedule, target))


def refuse(
    nest: BlockNest, schedule: BlockVectorSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a nest."""
    found = stream_of(nest)
    if isinstance(found, Refusal):
        return found.why
    grid = (ceil_div(found.rows, schedule.rows),)
    return size_problem(schedule.rows, schedule.step, grid=grid)
