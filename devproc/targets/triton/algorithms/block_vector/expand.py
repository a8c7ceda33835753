"""Programs of a matrix-vector product: rows of the matrix, a step of their terms at a time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockVectorSchedule
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.algorithms.block_vector.plan import (
    LONGEST_ROW_STEP,
    stream_of,
)
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.constants import constant_value
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, power_of_two
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BlockVectorSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the sums, and the other ops on them."""
    found = stream_of(nest)
    assert not isinstance(found, Refusal), found.why
    b, product = program.builder, found.tiling.roles.generic
    count = ceil_div(found.rows, schedule.rows)
    program.grid, program.num_warps = (count, 1, 1), schedule.warps
    start: Value = b.mul(b.program_id(0, "pid"), schedule.rows) if count > 1 else 0
    axis = program.block_axis(
        product, product.parallels, start, schedule.rows, 0, 2, "row"
    )
    space = Space(b, [axis])

    made: dict[Operation, SSAValue] = {}

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        if step.generic in found.tiling.rows:
            return site, [row_sum(program, found.tiling.roles, step, site)]
        if not made:
            ops = (roles.generic.op for roles in found.tiling.products)
            made.update(zip(ops, sums(program, found.tiling.products, axis, schedule)))
        return site, [made[step.generic.op]]

    program.run(found.tiling.steps, space, reduce)


def sums(
    program: Program,
    products: Sequence[Contraction],
    row: Axis,
    schedule: BlockVectorSchedule,
) -> list[SSAValue]:
    """The sum of each row, as a column, for products in one loop over their terms."""
    b, shape = program.builder, (schedule.rows, schedule.step)
    old = [initial(program, roles.generic, row) for roles in products]

    def step(k: Value, carried: list[SSAValue]) -> list[SSAValue]:
        return [
            added(program, roles, row, k, schedule.step, total)
            for roles, total in zip(products, carried, strict=True)
        ]

    acc = [b.to_shape(b.constant(0, element_of(v.type)), shape) for v in old]
    terms = products[0].sizes[2]
    if terms <= schedule.step:
        acc = step(0, acc)
    else:
        acc = b.loop(terms, schedule.step, acc, step)
    totals = [b.reduce("sum", b.to_shape(v, shape), 1) for v in acc]
    return [
        total if constant_value(v) == 0 else b.elementwise(arith.AddfOp, v, total)
        for v, total in zip(old, totals, strict=True)
    ]


def row_sum(program: Program, product: Contraction, row: Step, site: Site) -> SSAValue:
    """The sum over the vector that an op before the product needs."""
    b, kernel, terms = program.builder, program.kernel, product.sizes[2]
    width = min(power_of_two(terms), LONGEST_ROW_STEP)
    (start,) = (
        kernel.read(v, m, site)
        for v, m in zip(row.generic.outputs, row.generic.output_maps, strict=True)
    )

    def step(k: Value, carried: list[SSAValue]) -> list[SSAValue]:
        axis = program.block_axis(product.generic, product.k, k, width, 1, 2, "k")
        assert row.dims is not None
        there = Site(kernel, Space(b, [axis]), row.dims)
        (total,) = kernel.evaluate(row.generic, there, carried)
        return [total if axis.mask is None else b.where(axis.mask, total, carried[0])]

    acc = [b.to_shape(b.constant(0, element_of(start.type)), (1, width))]
    acc = step(0, acc) if terms <= width else b.loop(terms, width, acc, step)
    total = b.reduce("sum", b.to_shape(acc[0], (1, width)), 1)
    return b.elementwise(arith.AddfOp, start, total)


def initial(program: Program, product: Generic, row: Axis) -> SSAValue:
    """What the sums of a product begin with."""
    site = program.site(product, Space(program.builder, [row]))
    return program.kernel.read(product.outputs[0], product.output_maps[0], site)


def added(
    program: Program, roles: Contraction, row: Axis, k: Value, count: int, old: SSAValue
) -> SSAValue:
    """Sums with the products of `count` terms from `k` on, each in a lane of its own."""
    b, kernel, product = program.builder, program.kernel, roles.generic
    axis = program.block_axis(product, roles.k, k, count, 1, 2, "k")
    site = program.site(product, Space(b, [row, axis]))
    (total,) = kernel.evaluate(product, site, [old])
    if axis.mask is None or all(
        kernel.flow.is_zero_outside(
            product.inputs[i], site.exprs(product.maps[i]), roles.k
        )
        for i in (roles.a, roles.b)
    ):
        return total
    return b.where(axis.mask, total, old)
