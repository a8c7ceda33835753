"""Emits the vectors of a nest: loads, inlined bodies, stores.

The schedules emit loops and tiles around these. The vectors of a tile (`Part`) are
adjacent along the vectorised loop; the indices of the other loops are in `point`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, MemRefType, i1, i32
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue

from devproc.targets.cpu.transforms.loops.access import apply_map, locate
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp, lanes_of
from devproc.targets.cpu.transforms.loops.vector_types import memref_of, vector_type
from devproc.targets.cpu.transforms.nests.loop_space import LoopSpace, Operand
from devproc.targets.cpu.transforms.nests.nest import Nest
from devproc.targets.cpu.transforms.nests.vector_forms import can_vectorize
from devproc.targets.cpu.transforms.nests.vectorize_body import MAX_STRIDE, VectorBody

Values = Sequence[SSAValue]


def vector_loop(nest: Nest) -> int | None:
    """The parallel loop along which all results are contiguous; None if there is
    none."""
    loops = {
        loop
        for loop, is_parallel in enumerate(nest.parallel)
        if is_parallel and all(result.stride(loop) == 1 for result in nest.results)
    }
    return loops.pop() if len(loops) == 1 else None


def can_vectorize_nest(
    nest: Nest, loop: int, operands: Sequence[Operand] | None = None
) -> bool:
    """Whether bodies and operands (all, or just some) allow vectors along this loop."""
    if 0 in nest.sizes or not all(can_vectorize(op) for op in nest.bodies):
        return False
    # Only results that stay in registers may be indexed by reduction loops.
    reached = {d for result in nest.outputs for d in result.map.used_dims()}
    if reached & set(nest.reductions):
        return False
    wanted = nest.operands if operands is None else operands
    return all(is_readable(operand, loop) for operand in wanted)


def is_readable(operand: Operand, loop: int) -> bool:
    """Whether an operand can be accessed in vectors along a loop."""
    stride = operand.stride(loop)
    if stride is None:
        # A packed operand may be read as long as all lanes read the same element.
        return operand.is_packed and loop not in (operand.map.used_dims())
    if stride in (0, 1):
        return True
    element = memref_of(operand.value).element_type
    return element != i1 and prod(operand.shape) < 2**31


def is_index_or_bool(type_: Attribute) -> bool:
    """Whether vectors of any number of lanes of this type exist."""
    return isinstance(type_, IndexType) or type_ == i1


def element_types(op: StructuredOp) -> list[Attribute]:
    """The types of the values of a body."""
    return [v.type for v in values_of(op) if not isinstance(v.type, IndexType)]


def varying_values(nest: Nest, op: StructuredOp, loop: int) -> list[SSAValue]:
    """The values of a body that vary along a loop: a conservative superset."""
    if op is not nest.anchor:
        return values_of(op)
    return values_that_vary(op, [*nest.inputs, *nest.outputs], nest, loop)


def values_of(op: StructuredOp) -> list[SSAValue]:
    """The values of a body."""
    return [*op.body.block.args, *(r for o in op.body.block.ops for r in o.results)]


def values_that_vary(
    op: StructuredOp, operands: Sequence[Operand], space: LoopSpace, loop: int
) -> list[SSAValue]:
    """The values of a body, given its operands, that vary along a loop; all of a body
    without indexed loads, which is not analysed."""
    if not picks_elements(op):
        return values_of(op)
    block = op.body.block
    varying: dict[SSAValue, None] = dict.fromkeys(
        argument
        for argument, operand in zip(block.args, operands, strict=True)
        if operand.stride(loop) != 0
    )
    for inner in block.ops:
        varies = (
            space.loops[inner.dim.value.data] == loop
            if isinstance(inner, IndexOp)
            else any(operand in varying for operand in inner.operands)
        )
        if varies:
            varying |= dict.fromkeys(inner.results)
    return list(varying)


def values_along(nest: Nest, loop: int) -> dict[StructuredOp, list[SSAValue]]:
    """The values of each body that vary along a loop."""
    return {op: varying_values(nest, op, loop) for op in nest.bodies}


def lanes_along(nest: Nest, loop: int, vector_bits: int) -> int:
    """Elements of a vector along a loop: those of the widest type fill a register."""
    return lanes_of_all(values_along(nest, loop), vector_bits)


def lanes_of_all(
    varying: Mapping[StructuredOp, Sequence[SSAValue]], vector_bits: int
) -> int:
    """The same for the values that vary along the loop."""
    types = {value.type for values in varying.values() for value in values}
    return min(
        (lanes_of(t, vector_bits) for t in types if not is_index_or_bool(t)),
        default=vector_bits // 32,
    )


def picks_elements(op: StructuredOp) -> bool:
    """Whether a body has indexed loads."""
    return any(isinstance(inner, memref.LoadOp) for inner in op.body.block.ops)


def is_needed(value: SSAValue, known: Mapping[SSAValue, SSAValue]) -> bool:
    """Whether an op of a body needs a value, given the results that are known."""
    return any(not set(use.operation.results) & known.keys() for use in value.uses)


@dataclass
class Part:
    """One vector of a tile: its start along the loop, and the emitter of its body."""

    start: SSAValue
    body: VectorBody


class PartEmitter:
    """Emits the parts of one nest that is vectorised along one loop, `lanes` at a
    time."""

    def __init__(self, nest: Nest, loop: int, emitter: Emitter, lanes: int):
        self.nest, self.loop, self.emitter, self.lanes = nest, loop, emitter, lanes
        self.point: list[SSAValue] = [emitter.index(0)] * len(nest.sizes)
        self.turned: dict[Operand, SSAValue] = {}
        """Vectors of operands that a schedule has already loaded, along another
        loop."""

    def parts(self, start: SSAValue, size: int) -> list[Part]:
        """Vectors that cover `size` iterations; the last one may be masked."""
        parts: list[Part] = []
        for offset in range(0, size, self.lanes):
            left = size - offset
            active = left if left < self.lanes else 0
            body = VectorBody(self.emitter, self.lanes, active)
            parts.append(Part(self.emitter.offset(start, offset), body))
        return parts

    def start(self, part: Part) -> list[SSAValue | None]:
        """The initial accumulators; None if they are not read."""
        nest = self.nest
        arguments = nest.anchor.body.block.args[len(nest.inputs) :]
        found: list[SSAValue | None] = []
        for fill, operand, argument in zip(
            nest.starts, nest.outputs, arguments, strict=True
        ):
            if not argument.uses and not nest.reductions:
                found.append(None)
            elif fill is not None:
                found.append(fill.inputs[0])
            else:
                found.append(self.load(operand, part))
        return found

    def body(self, part: Part, carried: Sequence[SSAValue | None]) -> list[SSAValue]:
        """The anchor's body for one vector; returns the next accumulators."""
        nest = self.nest
        arguments = nest.anchor.body.block.args
        loops, known = nest.loops, self.known()
        inputs = [
            self.load(operand, part) if is_needed(argument, known) else None
            for operand, argument in zip(nest.inputs, arguments, strict=False)
        ]
        return part.body.inline(
            nest.anchor,
            (*inputs, *carried),
            lambda d: self.index(loops[d], part),
            known,
        )

    def known(self) -> Mapping[SSAValue, SSAValue]:
        """Values of the anchor's body that are not computed for each vector."""
        return {}

    def epilogue(self, part: Part, op: StructuredOp, results: Values) -> list[SSAValue]:
        """The epilogue on registers, without reading the anchor's results from
        memory."""
        nest = self.nest
        made = dict(zip((o.origin for o in nest.outputs), results, strict=True))
        operands = [*nest.more_inputs, *nest.more_outputs]
        arguments: list[SSAValue | None] = []
        for operand, argument in zip(operands, op.body.block.args, strict=True):
            if not argument.uses:
                arguments.append(None)
            elif operand.origin in made:
                arguments.append(made[operand.origin])
            else:
                arguments.append(self.load(operand, part))
        outer = [nest.loops[d] for d in nest.outer]
        return part.body.inline(op, arguments, lambda d: self.index(outer[d], part))

    def index(self, loop: int | None, part: Part) -> SSAValue:
        """The index of a loop of the nest, a vector along the vectorised one."""
        if loop is None:
            return self.emitter.index(0)
        if loop == self.loop:
            return part.body.steps_from(part.start)
        return self.point[loop]

    # Memory.

    def indices(self, operand: Operand, part: Part) -> list[SSAValue]:
        """The lowest address of an access: that of the last lane for a negative
        stride."""
        is_reversed = -MAX_STRIDE <= (operand.stride(self.loop) or 0) < 0
        last = (part.body.active or self.lanes) - 1 if is_reversed else 0
        self.point[self.loop] = self.emitter.offset(part.start, last)
        return apply_map(self.emitter, operand.map, self.point)

    def load(self, operand: Operand, part: Part) -> SSAValue:
        """A vector, or a scalar if the loop does not index the operand."""
        if not isinstance(operand.value.type, MemRefType):
            return operand.value
        if operand in self.turned:
            return self.turned[operand]
        emitter, body = self.emitter, part.body
        indices = self.indices(operand, part)
        stride = operand.stride(self.loop)
        if not stride:
            return emitter.load(*locate(emitter, operand.value, indices))
        if stride == 1:
            return body.load(operand.value, indices)
        if 1 < abs(stride) <= MAX_STRIDE or stride == -1:
            return body.load_strided(operand.value, indices, stride)
        offsets = [stride * lane for lane in range(self.lanes)]
        steps = emitter.lanes(offsets, vector_type(i32, self.lanes))
        return body.gather(operand.value, indices, steps)

    def store(self, value: SSAValue, operand: Operand, part: Part) -> None:
        """Store one vector of a result."""
        part.body.store(value, operand.value, self.indices(operand, part))

    def finish(self, part: Part, results: Values) -> None:
        """The epilogue on the anchor's results, and the stores."""
        if self.nest.epilogue is not None:
            results = self.epilogue(part, self.nest.epilogue, results)
        for value, operand in zip(results, self.nest.results, strict=True):
            self.store(value, operand, part)
