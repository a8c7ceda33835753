"""Programs that compute tiles of a product in turns, with factors read by descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, SSAValue

from devproc.algorithms.base import Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import PersistentTileSchedule
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_tile.expand import (
    Factors,
    compute_tile,
    numbered_space,
    tile_counts,
)
from devproc.targets.triton.algorithms.block_tile.plan import Tiling, tiling_of
from devproc.targets.triton.algorithms.block_tile.roles import Contraction
from devproc.targets.triton.algorithms.persistent_tile.descriptors import described
from devproc.targets.triton.dialect import block_of, element_of
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.space import Axis


def expand(
    nest: BlockNest,
    schedule: PersistentTileSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """Emit the tiles of a program, in a loop if it has several."""
    tiling = tiling_of(nest)
    assert not isinstance(tiling, Refusal), tiling.why
    program.num_warps, program.num_stages = schedule.warps, schedule.stages
    count = prod(tile_counts(tiling.roles, schedule)) * tiling.roles.sizes[-1]
    programs = min(schedule.programs, count)
    program.grid = (programs, 1, 1)

    def tile(number: Value, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        compute(nest, tiling, program, schedule, number)
        return carried

    b = program.builder
    first: Value = b.program_id(0, "first") if programs > 1 else 0
    if programs == count:
        tile(first, [])
        return
    flatten = schedule.loads == "descriptors"
    b.loop_between(first, count, programs, [], tile, "tile", flatten=flatten)


def compute(
    nest: BlockNest,
    tiling: Tiling,
    program: Program,
    schedule: PersistentTileSchedule,
    number: Value,
) -> None:
    """Emit one tile, by its number."""
    space = numbered_space(program, tiling.roles, schedule, number)
    factors = Factors(program, space, schedule)
    if schedule.loads == "descriptors":
        factors = DescribedFactors(program, space, schedule, nest)
    compute_tile(tiling, factors)


@dataclass(frozen=True)
class DescribedFactors(Factors):
    """Reads factors by descriptors, where they lie in memory as those need."""

    nest: BlockNest

    def read(self, product: Contraction, index: int, k_axis: Axis) -> SSAValue:
        """The block of one input of a product, as in the base class."""
        schedule = cast(PersistentTileSchedule, self.schedule)
        found = described(self.nest, product, index, schedule)
        if isinstance(found, Refusal):
            return super().read(product, index, k_axis)
        b, axes = self.program.builder, {"outer": self.outer(product, index)}
        axes["k"] = k_axis
        if product.batch:
            axes["batch"] = self.space.axes[0]
        indices: list[Value] = []
        for c in found.loops:
            axis = axes[c.role]
            of_batch = c.role == "batch"
            indices.append(axis.run(b, c.start, c.stop) if of_batch else axis.first)
        *_, rows, columns = (c.block for c in found.loops)
        block = found.load(self.program.kernel, indices, (rows, columns))
        is_left, has_rows_first = index == product.a, found.loops[-1].role == "k"
        if is_left == has_rows_first:
            return block
        order: Attribute = DenseArrayBase.from_list(i64, [1, 0])
        result = block_of(element_of(block.type), (columns, rows))
        return b.pure(triton.TransOp, [block], result, {"order": order})
