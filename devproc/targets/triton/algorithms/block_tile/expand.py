"""Programs of a product: a tile of its results, summed by `tl.dot` in a loop over K."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import StringAttr, f32
from xdsl.ir import Operation, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockTileSchedule, ImplicitGemmSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_tile.plan import Tiling, tiling_of
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.algorithms.block_tile.tiles import AnyTile
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
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    space = output_space(program, tiling.roles, schedule)
    compute_tile(tiling, Factors(program, space, schedule))


def output_space(
    program: Program, roles: Contraction, schedule: AnyTile | ImplicitGemmSchedule
) -> Space:
    """The tile of the output that each program of a grid computes."""
    b, batches = program.builder, roles.sizes[-1]
    rows, columns = tile_counts(roles, schedule)
    count = rows * columns
    # A grid has more programs along its first axis than along the others.
    together = batches > LARGEST_GRID[1]
    program.grid = (count * batches, 1, 1) if together else (count, batches, 1)
    number: Value = b.program_id(0, "tile") if program.grid[0] > 1 else 0
    if together:
        return numbered_space(program, roles, schedule, number)
    batch: Value = b.program_id(1, "batch") if batches > 1 else 0
    return tile_space(program, roles, schedule, number, batch)


def tile_counts(
    roles: Contraction, schedule: AnyTile | ImplicitGemmSchedule
) -> tuple[int, int]:
    """The numbers of tiles of rows, and of columns."""
    m, n, _, _ = roles.sizes
    return ceil_div(m, schedule.m), ceil_div(n, schedule.n)


def numbered_space(
    program: Program,
    roles: Contraction,
    schedule: AnyTile | ImplicitGemmSchedule,
    number: Value,
) -> Space:
    """A tile by its number in all batches, those of one after the other."""
    b, (rows, columns) = program.builder, tile_counts(roles, schedule)
    count = rows * columns
    several = roles.sizes[-1] > 1
    tile = b.mod(number, count) if several else number
    batch = b.div(number, count) if several else 0
    return tile_space(program, roles, schedule, tile, batch)


def tile_space(
    program: Program,
    roles: Contraction,
    schedule: AnyTile | ImplicitGemmSchedule,
    tile: Value,
    batch: Value,
) -> Space:
    """A tile of the output by its number in a batch."""
    b, product = program.builder, roles.generic
    axes: list[Axis] = []
    if roles.batch:
        axes.append(program.block_axis(product, roles.batch, batch, 1, 0, 0, "batch"))
    for position, (dims, start, size, hint) in enumerate(
        zip(
            (roles.m, roles.n),
            starts(b, tile, tile_counts(roles, schedule), schedule),
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
    schedule: AnyTile | ImplicitGemmSchedule,
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


@dataclass(frozen=True)
class Factors:
    """Reads the factors of products of a tile through pointers, a block at a time."""

    program: Program
    space: Space
    """The tile of the output."""
    schedule: AnyTile

    def read(self, product: Contraction, index: int, k_axis: Axis) -> SSAValue:
        """The block of one input of a product: m x k of its left one, k x n of its right
        one. Elements beyond the last term are zero."""
        b, kernel, generic = self.program.builder, self.program.kernel, product.generic
        batch, outer = self.space.axes[:-2], self.outer(product, index)
        axes = (outer, k_axis) if index == product.a else (k_axis, outer)
        site = self.program.site(generic, Space(b, [*batch, *axes]))
        value, map_ = generic.inputs[index], generic.maps[index]
        block = b.to_shape(kernel.read(value, map_, site), self.shape(product, index))
        # A K of one is loaded without a mask: all lanes of the block are element 0.
        longer = [d for d in product.k if generic.extents[d] > 1]
        if k_axis.mask is None or (
            longer and kernel.flow.is_zero_outside(value, site.exprs(map_), longer)
        ):
            return block
        # A value computed on the way is anything past the end of K, not zero.
        zero = b.constant(0, element_of(block.type))
        return b.where(k_axis.mask, block, zero)

    def outer(self, product: Contraction, index: int) -> Axis:
        """The rows of a left factor, the columns of a right one."""
        return self.space.axes[-2 if index == product.a else -1]

    def shape(self, product: Contraction, index: int) -> tuple[int, int]:
        """The shape of a block."""
        s = self.schedule
        return (s.m, s.k) if index == product.a else (s.k, s.n)


def compute_tile(tiling: Tiling, factors: Factors) -> None:
    """Emit the products of a tile, and the other ops."""
    sums: dict[Operation, SSAValue] = {}

    def reduce(step: Step, site: Site) -> tuple[Site, list[SSAValue]]:
        if not sums:
            found = multiply(tiling.products, factors)
            ops = (product.generic.op for product in tiling.products)
            sums.update(zip(ops, found, strict=True))
        return site, [sums[step.generic.op]]

    factors.program.run(tiling.steps, factors.space, reduce)


def multiply(products: Sequence[Contraction], factors: Factors) -> list[SSAValue]:
    """The accumulators of products of the same rows after the loop over K."""
    program, space, schedule = factors.program, factors.space, factors.schedule
    b, kernel, roles = program.builder, program.kernel, products[0]
    m, n, size = schedule.m, schedule.n, schedule.k
    extent = roles.sizes[2]

    def initial(product: Generic) -> SSAValue:
        site = program.site(product, space)
        old = kernel.read(product.outputs[0], product.output_maps[0], site)
        return b.to_shape(old, (m, n))

    def step(k: Value, accumulators: Sequence[SSAValue]) -> list[SSAValue]:
        axis = partial(
            program.block_axis, roles.generic, roles.k, k, size, rank=2, hint="k"
        )
        k_in_a, k_in_b = axis(position=1), axis(position=0)
        left = factors.read(roles, roles.a, k_in_a)
        options = {"input_precision": StringAttr(schedule.precision)}
        result = block_of(f32, (m, n))
        sums: list[SSAValue] = []
        for product, old in zip(products, accumulators, strict=True):
            values = [left, factors.read(product, product.b, k_in_b), old]
            sums.append(b.pure(triton.DotOp, values, result, {**options}, "acc"))
        return sums

    old = [initial(product.generic) for product in products]
    return step(0, old) if extent <= size else b.loop(extent, size, old, step)
