"""Programs of few updates: a block of the elements at one index each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i1, i8, i32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockUpdateSchedule
from devproc.targets.triton.algorithms.block_update.plan import UpdateNest
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import memref_of, strides_of
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import pointer_of, to_integer
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, power_of_two
from devproc.targets.triton.transforms.to_triton.space import Axis, Linear, Space


def expand(
    nest: UpdateNest,
    schedule: BlockUpdateSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """The whole kernel: indices and blocks of their elements along the grid."""
    b, scatter = program.builder, nest.anchor
    places, columns = nest.sizes
    across = ceil_div(columns, schedule.columns)
    program.grid, program.num_warps = (places * across, 1, 1), schedule.warps
    pid: Value = b.program_id(0, "pid") if places * across > 1 else 0
    extents = tuple(scatter.extents[d] for d in nest.place_dims)
    place = Axis(nest.place_dims, extents, b.div(pid, across))
    start = b.mul(b.mod(pid, across), schedule.columns)
    column = program.block_axis(
        scatter, nest.column_dims, start, schedule.columns, 0, 1, "column"
    )
    site = program.site(scatter, Space(b, [place, column]))
    Update(nest, program, site, column.mask, (schedule.columns,)).run()


@dataclass
class Update:
    """The elements of one program."""

    nest: UpdateNest
    program: Program
    site: Site
    mask: SSAValue | None
    shape: tuple[int, ...]

    @property
    def b(self) -> BlockBuilder:
        """The builder of ops."""
        return self.program.builder

    def run(self) -> None:
        """Combine the elements at an index with its updates, if it is the last of them."""
        b, op, axis = self.b, self.nest.op, self.nest.axis
        index = self.index_at(self.site.space.dim(axis))
        rows = memref_of(op.target).get_shape()[axis]
        inside = b.compare("ult", index, b.constant(rows, index.type))
        mask = b.both(b.both(inside, self.is_last(index)), self.mask)
        assert mask is not None
        mask = b.to_shape(mask, self.shape)
        strides = strides_of(memref_of(op.target))
        offset = b.add(
            self.site.space.offset(Linear.of(self.others(strides))),
            b.mul(to_integer(b, index, b.index_type), strides[axis]),
        )
        pointer, new = pointer_of(self.program, op.target), op.body.block.args[0]
        if op.body.block.last_op is op.body.block.first_op and self.yields(new):
            total = self.update(self.site.space.dim(axis), mask)
        else:
            old = b.load(pointer, offset, mask, shared=False)
            total = self.combined(
                index, b.to_shape(self.to_value(old), self.shape), mask
            )
        if memref_of(op.target).element_type == i1:
            total = b.cast("extui", total, i8)
        b.store(pointer, offset, total, mask)

    def yields(self, value: SSAValue) -> bool:
        """Whether the body yields one of its arguments."""
        last = self.nest.op.body.block.last_op
        return last is not None and last.operands[0] is value

    def others(self, strides: Sequence[int]) -> dict[int, int]:
        """The strides of all loops but the axis."""
        return {d: s for d, s in enumerate(strides) if d != self.nest.axis}

    def offset(self, value: SSAValue, place: Value) -> Value:
        """Where an operand that broadcasts to the loops is, at a place along the axis."""
        b, axis, type_ = self.b, self.nest.axis, memref_of(value)
        shape = type_.get_shape()
        strides = [
            stride if size > 1 else 0
            for stride, size in zip(strides_of(type_), shape, strict=True)
        ]
        offset = self.site.space.offset(Linear.of(self.others(strides)))
        return b.add(offset, b.mul(place, strides[axis]))

    def index_at(self, place: Value, mask: SSAValue | None = None) -> SSAValue:
        """The index, or the indices, at places along the axis."""
        index = self.nest.op.index
        pointer = pointer_of(self.program, index)
        return self.b.load(pointer, self.offset(index, place), mask)

    def is_last(self, index: SSAValue) -> SSAValue | None:
        """Whether no later update has the same index; None if there is only one."""
        b, count = self.b, self.nest.count
        if count == 1:
            return None
        lanes = b.arange(power_of_two(count))
        there = b.below(lanes, count)
        same = b.compare("eq", self.index_at(lanes, there), index)
        own = b.ssa(self.site.space.dim(self.nest.axis))
        later = b.both(b.both(there, b.compare("sgt", lanes, own)), same)
        assert later is not None
        found = b.reduce("max", b.cast("extui", later, i32), 0)
        return b.compare("eq", found, b.constant(0, i32))

    def update(self, place: Value, mask: SSAValue | None) -> SSAValue:
        """The updates at a place along the axis."""
        updates = self.nest.op.updates
        pointer = pointer_of(self.program, updates)
        found = self.b.load(pointer, self.offset(updates, place), mask)
        return self.b.to_shape(self.to_value(found), self.shape)

    def to_value(self, loaded: SSAValue) -> SSAValue:
        """Loaded elements; a bool is a byte in memory."""
        if memref_of(self.nest.op.target).element_type != i1:
            return loaded
        return self.b.compare("ne", loaded, self.b.constant(0, i8))

    def combined(
        self, index: SSAValue, old: SSAValue, mask: SSAValue | None
    ) -> SSAValue:
        """The elements combined with all updates of this index, in order."""
        b, count = self.b, self.nest.count
        block = self.nest.op.body.block

        def step(place: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
            same = b.compare("eq", self.index_at(place), index)
            there = b.both(same, mask)
            assert there is not None
            body = Body(b, self.site, self.program.kernel.strict)
            (made,) = body.run(block, [self.update(place, there), carried[0]])
            return [b.where(there, b.to_shape(made, self.shape), carried[0])]

        end = b.add(self.site.space.dim(self.nest.axis), 1) if count > 1 else 1
        (total,) = b.loop_between(0, end, 1, [old], step, "place")
        return total
