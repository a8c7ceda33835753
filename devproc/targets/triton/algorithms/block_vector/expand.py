"""Programs of a matrix-vector product: rows of the matrix, a step of their terms at a time."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockVectorSchedule
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.algorithms.block_vector.plan import stream_of
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
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

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        return site, [sums(program, found.tiling.roles, axis, schedule)]

    program.run(found.tiling.steps, space, reduce)


def sums(
    program: Program, roles: Contraction, row: Axis, schedule: BlockVectorSchedule
) -> SSAValue:
    """The sum of each row, as a column."""
    b, kernel, product = program.builder, program.kernel, roles.generic
    terms = roles.sizes[2]
    old = kernel.read(
        product.outputs[0],
        product.output_maps[0],
        program.site(product, Space(b, [row])),
    )
    element = element_of(old.type)
    shape = schedule.rows, schedule.step

    def step(k: Value, carried: list[SSAValue]) -> list[SSAValue]:
        axis = program.block_axis(product, roles.k, k, schedule.step, 1, 2, "k")
        site = program.site(product, Space(b, [row, axis]))
        (total,) = kernel.evaluate(product, site, carried)
        if axis.mask is None or all(
            kernel.flow.is_zero_outside(
                product.inputs[i], site.exprs(product.maps[i]), roles.k
            )
            for i in (roles.a, roles.b)
        ):
            return [total]
        return [b.where(axis.mask, total, carried[0])]

    acc = b.to_shape(b.constant(0, element), shape)
    if terms <= schedule.step:
        (acc,) = step(0, [acc])
    else:
        (acc,) = b.loop(terms, schedule.step, [acc], step)
    total = b.reduce("sum", b.to_shape(acc, shape), 1)
    return (
        total if b.constant_value(old) == 0 else b.elementwise(arith.AddfOp, old, total)
    )
