"""Programs of atomics: a block of updates each."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import BlockAtomicsSchedule
from devproc.targets.triton.algorithms.block_atomics.plan import AtomicsNest
from devproc.targets.triton.transforms.to_triton.generic import memref_of, strides_of
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.runs import pointer_of, to_integer
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Linear, Space


def expand(
    nest: AtomicsNest,
    schedule: BlockAtomicsSchedule,
    program: Program,
    target: TargetAttr,
) -> None:
    """The whole kernel: the updates along the grid."""
    b, op, scatter = program.builder, nest.op, nest.anchor
    kind, axis, size = nest.kind, op.axis.value.data, schedule.size
    assert kind is not None
    grid = ceil_div(nest.count, size)
    program.grid, program.num_warps = (grid, 1, 1), schedule.warps
    start = b.mul(b.program_id(0, "pid"), size) if grid > 1 else 0
    lanes = program.block_axis(scatter, scatter.parallels, start, size, 0, 1, "update")
    space = Space(b, [lanes])
    index, update = (
        read(program, value, space, lanes.mask) for value in (op.index, op.updates)
    )
    rows = memref_of(op.target).get_shape()[axis]
    inside = b.compare("ult", index, b.constant(rows, memref_of(op.index).element_type))
    strides = strides_of(memref_of(op.target))
    others = {d: stride for d, stride in enumerate(strides) if d != axis}
    place = b.mul(to_integer(b, index, b.index_type), strides[axis])
    offset = b.add(space.offset(Linear.of(others)), place)
    pointer = pointer_of(program, op.target)
    b.store(pointer, offset, update, b.both(lanes.mask, inside), kind)


def read(
    program: Program, value: SSAValue, space: Space, mask: SSAValue | None
) -> SSAValue:
    """The elements of an operand that broadcasts to the loops of a scatter."""
    b, type_ = program.builder, memref_of(value)
    strides, shape = strides_of(type_), type_.get_shape()
    terms = {d: strides[d] for d in range(len(shape)) if shape[d] > 1}
    offset = space.offset(Linear.of(terms))
    return b.load(pointer_of(program, value), offset, mask)
