"""The body of a `linalg` op, inlined for a vector of elements.

A value that is the same for all lanes stays a scalar until an op needs it as a vector,
so uniform values are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    i1,
    i32,
)
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.dialects import simd, simd_casts
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.lanewise import (
    FLOAT_PREDICATES,
    INTEGER_PREDICATES,
    compare,
    select,
)
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    is_vector,
    is_vector_type,
    memref_of,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.packed_elements import load_at
from devproc.targets.cpu.transforms.nests.vector_forms import CASTS

MAX_STRIDE = 4
"""Largest stride for which loading all elements and shuffling beats a gather."""


def lanes_along(stride: int, lanes: int, active: int) -> list[int]:
    """The offset of each lane from the lowest address of a strided access.

    With a negative stride that is the address of the last active lane.
    """
    if stride > 0:
        return [stride * lane for lane in range(lanes)]
    last = (active or lanes) - 1
    return [-stride * max(last - lane, 0) for lane in range(lanes)]


@dataclass
class VectorBody:
    """Inlines bodies for `lanes` iterations of one loop.

    At the end of the loop only the first `active` lanes are active (0: all of them).
    """

    emitter: Emitter
    lanes: int
    active: int = 0
    steps: dict[SSAValue, tuple[SSAValue, int]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, int]]
    )
    """A vector of indices with a constant step: the first index and the step."""

    def inline(
        self,
        op: StructuredOp,
        arguments: Sequence[SSAValue | None],
        index_of: Callable[[int], SSAValue],
        known: Mapping[SSAValue, SSAValue] | None = None,
    ) -> list[SSAValue]:
        """Emit the body; returns the yielded values, scalars if uniform.

        `arguments`: scalars or vectors, None if the body does not read it.
        `index_of(d)`: the index of loop `d` of the op, a vector along the lanes.
        `known`: values of the body that exist already.
        """
        block = op.body.block
        values: dict[SSAValue, SSAValue] = {
            argument: value
            for argument, value in zip(block.args, arguments, strict=True)
            if value is not None
        }
        values |= known or {}
        return self._inline_block(block, values, index_of)

    def inline_region(
        self, block: Block, arguments: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The same for a region that only uses its arguments."""
        values: dict[SSAValue, SSAValue] = {}
        values |= zip(block.args, arguments, strict=True)
        return self._inline_block(block, values, self.emitter.index)

    def _inline_block(
        self,
        block: Block,
        values: dict[SSAValue, SSAValue],
        index_of: Callable[[int], SSAValue],
    ) -> list[SSAValue]:
        *ops, last = block.ops
        for inner in ops:
            if inner.results[0] in values:
                continue
            operands = [values.get(operand, operand) for operand in inner.operands]
            if isinstance(inner, IndexOp):
                result = index_of(inner.dim.value.data)
            elif isinstance(inner, arith.ConstantOp):
                result = self._constant(inner)
            elif isinstance(inner, memref.LoadOp):
                result = self._load(inner, operands[1:])
            elif any(is_vector(operand) for operand in operands):
                result = self._vector_op(inner, operands)
                self._follow(type(inner), result, operands)
            else:
                result = self._scalar_op(inner, operands)
            values[inner.results[0]] = result
        return [values.get(value, value) for value in last.operands]

    def _constant(self, op: arith.ConstantOp) -> SSAValue:
        value = op.value
        if op.result.type == INDEX and isinstance(value, IntegerAttr):
            return self.emitter.index(value.value.data)
        return self.emitter.constant(value, op.result.type)

    def _follow(
        self, op: type[Operation], result: SSAValue, operands: Sequence[SSAValue]
    ) -> None:
        """Fold arithmetic on indices with a constant step: an added constant (a slice's
        start) keeps the step, a factor (a slice's step) scales it."""
        if op not in (arith.AddiOp, arith.MuliOp):
            return
        a, b = operands
        if b in self.steps:
            a, b = b, a
        if a not in self.steps or is_vector(b):
            return
        start, step = self.steps[a]
        factor = self.emitter.known.get(b)
        if op is arith.AddiOp:
            self.steps[result] = self.emitter.add(start, b), step
        elif factor is not None:
            self.steps[result] = self.emitter.mul(start, b), step * factor

    def widen(self, value: SSAValue) -> SSAValue:
        """The value as a vector."""
        if is_vector(value):
            return value
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            constant = owner.value
            if isinstance(constant, FloatAttr | IntegerAttr):
                type_ = vector_type(value.type, self.lanes)
                return self.emitter.lanes((constant.value.data,), type_)
        return self.emitter.broadcast(value, self.lanes)

    @property
    def mask(self) -> SSAValue | None:
        """The mask of the active lanes; None if all are."""
        return self.first_lanes(self.active) if self.active else None

    def first_lanes(self, count: int) -> SSAValue:
        """The mask of the first lanes."""
        bits = [int(lane < count) for lane in range(self.lanes)]
        return self.emitter.lanes(bits, vector_type(i1, self.lanes))

    def times(self, count: int) -> VectorBody:
        """The same iterations with `count` lanes for each."""
        return VectorBody(self.emitter, self.lanes * count, self.active * count)

    def _vector(self, element: Attribute) -> Attribute:
        return vector_type(element, self.lanes)

    def _scalar_op(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        clone = op.clone(dict(zip(op.operands, operands, strict=True)))
        return self.emitter.append(clone).results[0]

    def _vector_op(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        emitter = self.emitter
        if isinstance(op, arith.SelectOp):
            condition, a, b = operands
            a, b = self.widen(a), self.widen(b)
            if not is_vector(condition):
                return emitter.value(arith.SelectOp, (condition, a, b), a.type)
            return select(emitter, condition, a, b)
        wide = [self.widen(operand) for operand in operands]
        if isinstance(op, arith.CmpfOp | arith.CmpiOp):
            number = op.predicate.value.data
            floats = isinstance(op, arith.CmpfOp)
            names = FLOAT_PREDICATES if floats else INTEGER_PREDICATES
            return compare(emitter, names[number], *wide)
        class_ = CASTS.get(type(op), type(op))
        result_type = self._vector(op.results[0].type)
        return emitter.value(class_, wide, result_type, op.properties)

    # Indexed loads.

    def _load(self, op: memref.LoadOp, indices: Sequence[SSAValue]) -> SSAValue:
        emitter = self.emitter
        if not any(is_vector(index) for index in indices):
            return load_at(emitter, op.memref, indices)
        type_ = memref_of(op.memref)
        if not any(is_vector(index) for index in indices[:-1]) and (
            indices[-1] in self.steps
        ):
            start, step = self.steps[indices[-1]]
            if step == 1:
                return self.load(op.memref, [*indices[:-1], start])
            if 0 < abs(step) <= MAX_STRIDE:
                last = ((self.active or self.lanes) - 1) * step if step < 0 else 0
                start = emitter.offset(start, last)
                return self.load_strided(op.memref, [*indices[:-1], start], step)
        zero = emitter.index(0)
        base = [zero if is_vector(index) else index for index in indices]
        offsets: SSAValue | None = None
        for position, index in enumerate(indices):
            if not is_vector(index):
                continue
            scaled = self._scale(index, prod(type_.get_shape()[position + 1 :]))
            if offsets is None:
                offsets = scaled
            else:
                offsets = emitter.value(arith.AddiOp, (offsets, scaled))
        assert offsets is not None
        return self.gather(op.memref, base, offsets)

    def _scale(self, index: SSAValue, stride: int) -> SSAValue:
        """A vector of indices as 32-bit offsets, scaled by a number of elements."""
        emitter, type_ = self.emitter, vector_type(i32, self.lanes)
        narrow = emitter.value(simd_casts.IndexCastOp, (index,), type_)
        if stride == 1:
            return narrow
        return emitter.value(arith.MuliOp, (narrow, emitter.lanes((stride,), type_)))

    def gather(
        self, source: SSAValue, base: Sequence[SSAValue], offsets: SSAValue
    ) -> SSAValue:
        """One element per lane."""
        element = memref_of(source).element_type
        rest = self.neutral(vector_type(element, self.lanes))
        mask = self.first_lanes(self.active or self.lanes)
        op = simd.GatherOp(source, base, offsets, mask, rest)
        return self.emitter.append(op).results[0]

    def load(self, source: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Load adjacent elements for the active lanes."""
        return self._load_first(source, indices, self.active or self.lanes)

    def _load_first(
        self, source: SSAValue, indices: Sequence[SSAValue], count: int
    ) -> SSAValue:
        if count == self.lanes:
            return self.emitter.load_vector(source, indices, self.lanes)
        type_ = vector_type(memref_of(source).element_type, self.lanes)
        operands = (source, *indices, self.first_lanes(count), self.neutral(type_))
        return self.emitter.value(vector.MaskedLoadOp, operands, type_)

    def load_strided(
        self, source: SSAValue, indices: Sequence[SSAValue], stride: int
    ) -> SSAValue:
        """Every `stride`-th element in memory: loads of all of them, then shuffles.

        With a negative stride the lanes are reversed; the indices are then those of the
        last lane, which is first in memory. Nothing past the last needed element is
        read.
        """
        emitter, lanes = self.emitter, self.lanes
        needed = abs(stride) * ((self.active or lanes) - 1) + 1
        *outer, last = indices
        # The last load ends with the last element, so that it is whole too.
        begins = [
            max(min(begin, needed - lanes), 0) for begin in range(0, needed, lanes)
        ]
        loads = [
            self._load_first(
                source, [*outer, emitter.offset(last, begin)], min(lanes, needed)
            )
            for begin in begins
        ]
        # Two at once, then one more at a time: lanes that are in place stay there.
        spread = [
            place if place < needed else 0
            for place in lanes_along(stride, lanes, self.active)
        ]
        numbers = [place // lanes for place in spread]
        moved = [
            place - begins[number] + (lanes if number else 0)
            for place, number in zip(spread, numbers, strict=True)
        ]
        second = loads[min(1, len(loads) - 1)]
        mask = [at if n < 2 else 0 for at, n in zip(moved, numbers, strict=True)]
        result = emitter.shuffle(loads[0], second, mask)
        for number, loaded in enumerate(loads[2:], 2):
            mask = [
                at if n == number else lane
                for lane, (at, n) in enumerate(zip(moved, numbers, strict=True))
            ]
            result = emitter.shuffle(result, loaded, mask)
        return result

    def store(
        self, value: SSAValue, target: SSAValue, indices: Sequence[SSAValue]
    ) -> None:
        """Store adjacent elements along the last dimension, under the mask."""
        wide, mask = self.widen(value), self.mask
        if mask is None:
            self.emitter.store_vector(wide, target, indices)
        else:
            operands = (target, *indices, mask, wide)
            self.emitter.emit(vector.MaskedStoreOp, operands)

    def neutral(self, type_: Attribute) -> SSAValue:
        """The value of inactive lanes: 1 for integers, so that none divides by 0."""
        assert is_vector_type(type_)
        integers = isinstance(type_.element_type, IntegerType | IndexType)
        return self.emitter.lanes((1 if integers else 0.0,), type_)

    def steps_from(self, start: SSAValue) -> SSAValue:
        """The indices start, start + 1, ... of the lanes."""
        steps = self.emitter.value(simd.StepOp, (), vector_type(INDEX, self.lanes))
        result = self.emitter.value(arith.AddiOp, (self.widen(start), steps))
        self.steps[result] = start, 1
        return result
