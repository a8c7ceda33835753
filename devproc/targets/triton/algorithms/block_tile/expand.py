"""Programs of a product: a tile of its results, summed by `tl.dot` in a loop over K."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from xdsl.dialects.builtin import StringAttr, f32
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTileSchedule, ImplicitGemmSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_tile.plan import tiling_of
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.dialect import block_of, element_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import LARGEST_GRID, ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step


def expand(
    nest: BlockNest, schedule: BlockTileSchedule, program: Program, target: TargetAttr
) -> None:
    """Emit the products on `tl.dot`, and the other ops on their tile."""
    tiling = tiling_of(nest)
    assert not isinstance(tiling, Refusal), tiling.why
    roles = tiling.roles
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    space = output_space(program, roles, schedule)

    sums: dict[Operation, SSAValue] = {}

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        if not sums:
            found = multiply(program, tiling.products, space, schedule)
            ops = (product.generic.op for product in tiling.products)
            sums.update(zip(ops, found, strict=True))
        return site, [sums[step.generic.op]]

    program.run(tiling.steps, space, reduce)


def output_space(
    program: Program,
    roles: Contraction,
    schedule: BlockTileSchedule | ImplicitGemmSchedule,
) -> Space:
    """The tile of the output that one program computes."""
    b, product = program.builder, roles.generic
    m, n, _, batches = roles.sizes
    tiles = ceil_div(m, schedule.m), ceil_div(n, schedule.n)
    count = tiles[0] * tiles[1]
    # A grid has more programs along its first axis than along the others.
    together = batches > LARGEST_GRID[1]
    program.grid = (count * batches, 1, 1) if together else (count, batches, 1)
    number: Value = b.program_id(0, "tile") if program.grid[0] > 1 else 0
    tile = b.mod(number, count) if together else number
    axes: list[Axis] = []
    if roles.batch:
        batch: Value = b.program_id(1, "batch") if program.grid[1] > 1 else 0
        batch = b.div(number, count) if together else batch
        axes.append(program.block_axis(product, roles.batch, batch, 1, 0, 0, "batch"))
    for position, (dims, start, size, hint) in enumerate(
        zip(
            (roles.m, roles.n),
            starts(b, tile, tiles, schedule),
            (schedule.m, schedule.n),
            "mn",
            strict=True,
        )
    ):
        axes.append(program.block_axis(product, dims, start, size, position, 2, hint))
    return Space(b, axes)


def starts(
    b: BlockBuilder,
    tile: Value,
    tiles: tuple[int, int],
    schedule: BlockTileSchedule | ImplicitGemmSchedule,
) -> tuple[Value, Value]:
    """The first row and column of a tile, from its number.

    Tiles are ordered in groups of row tiles; within a group, tiles of columns are outer.
    The last group may have fewer rows.
    """
    rows, columns = tiles
    group = min(schedule.group, rows)
    first = b.mul(b.div(tile, group * columns), group)
    within = b.mod(tile, group * columns) if rows > group else tile
    if rows % group:
        height = b.minimum(b.sub(rows, first), group)
        row = b.index_op(b.REMAINDER, within, height)
        column = b.index_op(b.DIVISION, within, height)
    else:
        row, column = b.mod(within, group), b.div(within, group)
    row = b.add(first, row)
    return b.mul(row, schedule.m), b.mul(column, schedule.n)


def multiply(
    program: Program,
    products: Sequence[Contraction],
    space: Space,
    schedule: BlockTileSchedule,
) -> list[SSAValue]:
    """The accumulators of products of the same rows after the loop over K."""
    b, kernel, roles = program.builder, program.kernel, products[0]
    batch, (m_axis, n_axis) = space.axes[:-2], space.axes[-2:]
    m, n, size = schedule.m, schedule.n, schedule.k
    extent = prod(roles.generic.extents[d] for d in roles.k)

    def initial(product: Generic) -> SSAValue:
        site = program.site(product, space)
        old = kernel.read(product.outputs[0], product.output_maps[0], site)
        return b.to_shape(old, (m, n))

    def operand(
        product: Generic,
        index: int,
        axes: Sequence[Axis],
        k_axis: Axis,
        shape: tuple[int, int],
    ) -> SSAValue:
        site = program.site(product, Space(b, [*batch, *axes]))
        value, map_ = product.inputs[index], product.maps[index]
        block = b.to_shape(kernel.read(value, map_, site), shape)
        # A K of one is loaded without a mask: all lanes of the block are element 0.
        longer = [d for d in roles.k if product.extents[d] > 1]
        if k_axis.mask is None or (
            longer and kernel.flow.is_zero_outside(value, site.exprs(map_), longer)
        ):
            return block
        # A value computed on the way is anything past the end of K, not zero.
        zero = b.constant(0, element_of(block.type))
        return b.where(k_axis.mask, block, zero)

    def step(k: Value, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        axis = partial(
            program.block_axis, roles.generic, roles.k, k, size, rank=2, hint="k"
        )
        k_in_a, k_in_b = axis(position=1), axis(position=0)
        left = operand(roles.generic, roles.a, (m_axis, k_in_a), k_in_a, (m, size))
        options = {"input_precision": StringAttr(schedule.precision)}
        result = block_of(f32, (m, n))
        sums: list[SSAValue] = []
        for product, old in zip(products, accumulators, strict=True):
            right = operand(
                product.generic, product.b, (k_in_b, n_axis), k_in_b, (size, n)
            )
            values = [left, right, old]
            sums.append(b.pure(triton.DotOp, values, result, {**options}, "acc"))
        return sums

    old = [initial(product.generic) for product in products]
    return step(0, old) if extent <= size else b.loop(extent, size, old, step)
