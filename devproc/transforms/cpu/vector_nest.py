"""A loop nest vectorised along one parallel loop, reductions innermost.

The results of the nest are contiguous along that loop. Each tile is a few vectors side
by side: their accumulators stay in registers through the reduction loops and the
epilogue, and are stored once. A ragged end is one more tile whose last vector is masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IndexType, MemRefType, i1, i32
from xdsl.ir import Attribute, SSAValue

from devproc.transforms.cpu.access import apply_map, locate
from devproc.transforms.cpu.combiners import accumulates_in_float
from devproc.transforms.cpu.emitter import Emitter, memref_of, vector_type
from devproc.transforms.cpu.kernels import (
    StructuredOp,
    body_work,
    grain_of,
    lanes_of,
)
from devproc.transforms.cpu.long_sums import LongSum, is_long
from devproc.transforms.cpu.loop_space import Operand
from devproc.transforms.cpu.nest import Nest
from devproc.transforms.cpu.vectorize_body import VectorBody, can_vectorize

Values = Sequence[SSAValue]


def vector_loop(nest: Nest) -> int | None:
    """The parallel loop along which all results are contiguous; None if there is none."""
    loops = {
        loop
        for loop, is_parallel in enumerate(nest.parallel)
        if is_parallel and all(result.stride(loop) == 1 for result in nest.results)
    }
    return loops.pop() if len(loops) == 1 else None


def can_vectorize_nest(nest: Nest, loop: int | None) -> bool:
    """Whether bodies and operands allow vectors along this loop."""
    if loop is None or 0 in nest.sizes:
        return False
    if not all(can_vectorize(op) for op in nest.bodies):
        return False
    # Results in registers must be the only thing that moves with the reductions.
    reached = {d for result in nest.outputs for d in result.map.used_dims()}
    if reached & set(nest.reductions):
        return False
    return all(_readable(operand, loop) for operand in nest.operands)


def _readable(operand: Operand, loop: int) -> bool:
    stride = operand.stride(loop)
    if stride is None:
        # A packed operand may be read as long as all lanes read the same element.
        return operand.is_packed and loop not in (operand.map.used_dims())
    if stride in (0, 1):
        return True
    element = memref_of(operand.value).element_type
    return element != i1 and prod(operand.shape) < 2**31


def element_types(op: StructuredOp) -> list[Attribute]:
    """Every type a lane of the body takes."""
    values = [*op.body.block.args, *(r for o in op.body.block.ops for r in o.results)]
    return [v.type for v in values if not isinstance(v.type, IndexType)]


@dataclass
class Part:
    """One vector of a tile: where it starts along the loop, and what it inlines with."""

    start: SSAValue
    body: VectorBody


class VectorNest:
    """Emits one nest along one loop."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, threads: int
    ):
        self.nest, self.loop, self.emitter = nest, loop, emitter
        self.threads = threads
        ops = nest.bodies
        types = [type_ for op in ops for type_ in element_types(op) if type_ != i1]
        self.lanes = min((lanes_of(t, vector_bits) for t in types), default=16)
        work = sum(body_work(op) for op in ops)
        # Vectors side by side: enough to hide the latency of short bodies.
        self.width = 4 if work <= 4 else 2 if work <= 12 else 1
        self.outer = [
            d for d, parallel in enumerate(nest.parallel) if parallel and d != loop
        ]
        size = nest.sizes[loop]
        self.whole = size // (self.lanes * self.width)
        self.rest = size - self.whole * self.lanes * self.width
        self.point: list[SSAValue] = [emitter.index(0)] * len(nest.sizes)

    def emit(self) -> None:
        """Emit the loops."""
        self.nest.view(self.emitter)
        self._outer_loops(self.outer, self._split_loop())

    def _split_loop(self) -> int | None:
        """The loop that is spread over threads: the outermost long one, if it pays."""
        nest = self.nest
        for d in self.outer:
            if nest.sizes[d] >= 4 * self.threads:
                return d if grain_of(nest.sizes[d], nest.work, self.threads) else None
        # Many regions, each for one of the few outer iterations.
        inner = nest.work // prod(nest.sizes[d] for d in self.outer)
        return self.loop if grain_of(self.whole, inner, self.threads) else None

    def _outer_loops(self, loops: Sequence[int], split: int | None) -> None:
        if not loops:
            self._vectors(split == self.loop)
            return
        first, *rest = loops
        size = self.nest.sizes[first]

        def body(index: SSAValue) -> None:
            self.point[first] = index
            self._outer_loops(rest, split)

        if first == split:
            grain = grain_of(size, self.nest.work, self.threads) or 1
            self.emitter.parallel([size], grain, lambda indices: body(indices[0]))
        else:
            self.emitter.loop_to(size, body)

    # The vectorised loop.

    def _vectors(self, split: bool) -> None:
        emitter, step = self.emitter, self.lanes * self.width

        def tile(index: SSAValue) -> None:
            start = emitter.mul(index, emitter.index(step))
            self._tile(self._parts(start, step))

        if split:
            inner = self.nest.work // prod(self.nest.sizes[d] for d in self.outer)
            grain = grain_of(self.whole, inner, self.threads) or 1
            emitter.parallel([self.whole], grain, lambda indices: tile(indices[0]))
        else:

            def strided(start: SSAValue, _: Values) -> Values:
                self._tile(self._parts(start, step))
                return ()

            end = emitter.index(self.whole * step)
            emitter.loop(emitter.index(0), end, step, (), strided)
        if self.rest:
            start = emitter.index(self.whole * step)
            self._tile(self._parts(start, self.rest))

    def _parts(self, start: SSAValue, size: int) -> list[Part]:
        """Vectors that cover `size` iterations; the last one may be masked."""
        parts: list[Part] = []
        for offset in range(0, size, self.lanes):
            mask: SSAValue | None = None
            if size - offset < self.lanes:
                type_ = vector_type(i1, self.lanes)
                bits = [int(offset + lane < size) for lane in range(self.lanes)]
                mask = self.emitter.lanes(bits, type_)
            body = VectorBody(self.emitter, self.lanes, mask)
            parts.append(Part(self.emitter.offset(start, offset), body))
        return parts

    # One tile: start, reduce, epilogue, store.

    def _tile(self, parts: Sequence[Part]) -> None:
        nest = self.nest
        started = [self._start(part) for part in parts]
        count = len(nest.outputs)
        if nest.reductions:
            flat = [
                part.body.widen(value)
                for part, values in zip(parts, started, strict=True)
                for value in values
                if value is not None
            ]
            done = self._reduce(parts, flat)
        else:
            done = [
                v for p, s in zip(parts, started, strict=True) for v in self._body(p, s)
            ]
        for index, part in enumerate(parts):
            results: Values = done[index * count : (index + 1) * count]
            if nest.epilogue is not None:
                results = self._epilogue(part, nest.epilogue, results)
            for value, operand in zip(results, nest.results, strict=True):
                self._store(value, operand, part)

    def _start(self, part: Part) -> list[SSAValue | None]:
        """The accumulators before the first iteration; None where nothing reads them."""
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
                found.append(self._load(operand, part))
        return found

    def _reduce(self, parts: Sequence[Part], carried: Values) -> Values:
        """All reduction loops, beginning with these accumulators."""
        loops = self.nest.reductions
        sizes = [self.nest.sizes[d] for d in loops]
        zero, end = self.emitter.index(0), self.emitter.index(sizes[-1])
        if not (accumulates_in_float(self.nest.anchor) and is_long(sizes)):
            return self._loops(loops, parts, carried, zero, end)
        zeros = [self.emitter.number(0.0, value.type) for value in carried]

        def inner(loops: Sequence[int], lower: SSAValue, upper: SSAValue) -> Values:
            return self._loops(loops, parts, zeros, lower, upper)

        long_sum = LongSum(self.emitter, loops, sizes, self.point.__setitem__, inner)
        return long_sum.emit(carried)

    def _loops(
        self,
        loops: Sequence[int],
        parts: Sequence[Part],
        carried: Values,
        lower: SSAValue,
        upper: SSAValue,
    ) -> Values:
        """Reduction loops; the innermost one runs between bounds."""
        if not loops:
            return self._accumulate(parts, carried)
        first, *rest = loops
        emitter = self.emitter

        def body(index: SSAValue, values: Values) -> Values:
            self.point[first] = index
            return self._loops(rest, parts, values, lower, upper)

        if rest:
            zero, end = emitter.index(0), emitter.index(self.nest.sizes[first])
            return emitter.loop(zero, end, 1, carried, body)
        return emitter.loop(lower, upper, 1, carried, body)

    def _accumulate(self, parts: Sequence[Part], carried: Values) -> Values:
        """The accumulators of every vector after one more iteration."""
        count = len(self.nest.outputs)
        done: list[SSAValue] = []
        for index, part in enumerate(parts):
            mine = carried[index * count : (index + 1) * count]
            done += [part.body.widen(value) for value in self._body(part, mine)]
        return done

    def _body(self, part: Part, carried: Sequence[SSAValue | None]) -> list[SSAValue]:
        nest = self.nest
        arguments = nest.anchor.body.block.args
        inputs = [
            self._load(operand, part) if argument.uses else None
            for operand, argument in zip(nest.inputs, arguments, strict=False)
        ]
        loops = nest.loops
        return part.body.inline(
            nest.anchor, (*inputs, *carried), lambda d: self._index(loops[d], part)
        )

    def _epilogue(
        self, part: Part, op: StructuredOp, results: Values
    ) -> list[SSAValue]:
        """The epilogue on registers: what the anchor made is not read from memory."""
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
                arguments.append(self._load(operand, part))
        outer = [nest.loops[d] for d in nest.outer]
        return part.body.inline(op, arguments, lambda d: self._index(outer[d], part))

    def _index(self, loop: int | None, part: Part) -> SSAValue:
        if loop is None:
            return self.emitter.index(0)
        if loop == self.loop:
            return part.body.steps_from(part.start)
        return self.point[loop]

    # Memory.

    def _indices(self, operand: Operand, part: Part) -> list[SSAValue]:
        self.point[self.loop] = part.start
        return apply_map(self.emitter, operand.map, self.point)

    def _load(self, operand: Operand, part: Part) -> SSAValue:
        """A vector, or a scalar where the operand does not move along the loop."""
        if not isinstance(operand.value.type, MemRefType):
            return operand.value
        emitter, body = self.emitter, part.body
        indices = self._indices(operand, part)
        stride = operand.stride(self.loop)
        if not stride:
            return emitter.load(*locate(emitter, operand.value, indices))
        if stride == 1:
            return body.load(operand.value, indices)
        offsets = [stride * lane for lane in range(self.lanes)]
        steps = emitter.lanes(offsets, vector_type(i32, self.lanes))
        return body.gather(operand.value, indices, steps)

    def _store(self, value: SSAValue, operand: Operand, part: Part) -> None:
        part.body.store(value, operand.value, self._indices(operand, part))
