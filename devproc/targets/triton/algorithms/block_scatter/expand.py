"""Programs of scatters: a block of the result each, which collects its updates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i1, i8
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockScatterSchedule
from devproc.targets.triton.algorithms.block_scatter.plan import ScatterNest
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.generic import memref_of, strides_of
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import pointer_of, to_integer
from devproc.targets.triton.transforms.to_triton.search import Search, search
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Linear, Space


def expand(
    nest: ScatterNest,
    schedule: BlockScatterSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """The whole kernel: blocks of places and of their elements along the grid."""
    b, scatter = program.builder, nest.anchor
    (places, columns), (height, width) = nest.sizes, (schedule.places, schedule.columns)
    across = ceil_div(columns, width)
    grid = ceil_div(places, height) * across
    program.grid, program.num_warps = (grid, 1, 1), schedule.warps
    pid = b.program_id(0, "pid") if grid > 1 else 0
    axes: list[Axis] = []
    for position, (dims, number, size) in enumerate(
        (
            (nest.place_dims, b.div(pid, across), height),
            (nest.column_dims, b.mod(pid, across), width),
        )
    ):
        start = b.mul(number, size)
        hint = ("place", "column")[position]
        axes.append(program.block_axis(scatter, dims, start, size, position, 2, hint))
    site = program.site(scatter, Space(b, axes))
    Scatter(nest, program, site, axes[0], (height, width)).run()


@dataclass
class Scatter:
    """The elements of one program."""

    nest: ScatterNest
    program: Program
    site: Site
    places: Axis
    shape: tuple[int, int]

    @property
    def b(self) -> BlockBuilder:
        """The builder of ops."""
        return self.program.builder

    def run(self) -> None:
        """Combine each element with its updates, in order."""
        b, kernel, scatter = self.b, self.program.kernel, self.nest.anchor
        first, end, row = self.found()
        old = kernel.read(self.nest.op.operand, scatter.maps[0], self.site)
        old = b.to_shape(old, self.shape)
        most = b.ssa(b.sub(end, first))
        for _ in range(2):
            most = b.reduce("max", most, 0, keep=False)

        def step(turn: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
            at = b.ssa(b.add(first, turn))
            there = b.both(self.places.mask, b.compare("slt", at, end))
            assert there is not None
            order = pointer_of(self.program, self.nest.op.places)
            place = b.to_index(b.load(order, b.add(row, at), there))
            new = self.update(place, there)
            body = Body(b, self.site, kernel.strict)
            (made,) = body.run(self.nest.op.body.block, [new, carried[0]])
            return [b.where(there, b.to_shape(made, self.shape), carried[0])]

        (total,) = b.loop_between(0, most, 1, [old], step, "turn")
        kernel.store(self.nest.op.target, scatter.maps[1], self.site, total)

    def found(self) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Where the updates of each place begin and end in their row, and the row begins."""
        b, op, axis = self.b, self.nest.op, self.nest.axis
        strides = strides_of(memref_of(op.index))[:-1]
        strides.insert(axis, 0)
        others = {d: strides[d] for d in self.nest.place_dims}
        row = self.site.space.offset(Linear.of(others))
        index = pointer_of(self.program, op.index)
        count = memref_of(op.index).get_shape()[-1]
        element = memref_of(op.index).element_type
        place = to_integer(b, b.ssa(self.site.space.dim(axis)), element)
        place = b.to_shape(place, (self.shape[0], 1))
        searches = [Search(place, row, count, ties) for ties in (False, True)]
        first, end = search(b, index, searches, count, self.places.mask)
        return first, end, b.ssa(row)

    def update(self, place: SSAValue, there: SSAValue) -> SSAValue:
        """The updates at places along the axis."""
        b, op, axis = self.b, self.nest.op, self.nest.axis
        type_ = memref_of(op.updates)
        strides, shape = strides_of(type_), type_.get_shape()
        others = {
            d: strides[d] for d in range(len(shape)) if d != axis and shape[d] > 1
        }
        offset = b.add(
            self.site.space.offset(Linear.of(others)), b.mul(place, strides[axis])
        )
        mask = b.both(there, self.site.space.mask(others))
        loaded = b.load(pointer_of(self.program, op.updates), offset, mask)
        if type_.element_type == i1:
            return b.compare("ne", loaded, b.constant(0, i8))
        return loaded
