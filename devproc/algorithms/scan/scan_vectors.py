"""What the loops of a scan are made of: vectors of elements, read, widened and written."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.linalg_scan import ScanOp
from devproc.ir.types import item_size
from devproc.transforms.cpu.loops.access import view_as
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import block_work, grain_of, lanes_of
from devproc.transforms.cpu.loops.vector_types import (
    is_vector_type,
    memref_of,
    vector_lanes,
    vector_type,
)

Values = Sequence[SSAValue]

CHEAP_WORK = 8
"""Scalar operations up to which combining is cheap; what is more has a long latency."""


def lanes_type(element: Attribute, lanes: int) -> Attribute:
    """The type of so many numbers: of one, no vector."""
    return element if lanes == 1 else vector_type(element, lanes)


class ScanVectors:
    """A scan that sees its tensors as (before, axis, after), or (before, axis)."""

    def __init__(self, op: ScanOp, emitter: Emitter, vector_bits: int, threads: int):
        self.op, self.emitter, self.threads = op, emitter, threads
        shape, axis = memref_of(op.operand).get_shape(), op.axis.value.data
        self.before, self.size = prod(shape[:axis]), shape[axis]
        self.after = prod(shape[axis + 1 :])
        self.types = [number.type for number in op.starts]
        self.lanes: int = min(lanes_of(type_, vector_bits) for type_ in self.types)
        work = block_work(op.body.block) + len(self.types)
        self.is_cheap = work <= CHEAP_WORK
        self.total_work = work * prod(shape)
        seen = (self.before, self.size, self.after)[: 2 + (self.after > 1)]
        self.operand = view_as(emitter, op.operand, seen)
        self.outputs = [view_as(emitter, value, seen) for value in op.outputs]

    def grain(self, pieces: int) -> int | None:
        """How many of so many pieces of all the work are one chunk for threads."""
        return grain_of(pieces, self.total_work, self.threads)

    def starts(self, lanes: int) -> list[SSAValue]:
        """What comes before the first element, in every lane."""
        return [
            self.emitter.number(number.value.data, lanes_type(number.type, lanes))
            for number in self.op.starts
        ]

    def load(self, point: Values, count: int, lanes: int) -> SSAValue:
        """So many neighbours in the first lanes; the others hold one of them too.

        A vector of that length instead of a mask: LLVM splits it into a few whole
        accesses, where a masked store takes many cycles on some processors.
        """
        if count == 1:
            value = self.emitter.load(self.operand, point)
            return value if lanes == 1 else self.emitter.broadcast(value, lanes)
        value = self.emitter.load_vector(self.operand, point, count)
        if count == lanes:
            return value
        mask = [min(lane, count - 1) for lane in range(lanes)]
        return self.emitter.shuffle(value, value, mask)

    def store(self, values: Values, point: Values, count: int) -> None:
        """The first lanes: elements, and their places where these are wanted."""
        emitter = self.emitter
        for value, target in zip(values, self.outputs, strict=True):
            if count == 1:
                emitter.store(self._first_lane(value), target, point)
                continue
            if count < vector_lanes(value):
                value = emitter.shuffle(value, value, range(count))
            emitter.store_vector(value, target, point)

    def _first_lane(self, value: SSAValue) -> SSAValue:
        type_ = value.type
        if not is_vector_type(type_):
            return value
        extract = vector.ExtractOp(value, (0,), type_.element_type)
        return self.emitter.append(extract).results[0]

    def widen(self, value: SSAValue) -> SSAValue:
        """Elements in the type that they are combined in."""
        return self._convert(value, self.types[0], arith.ExtFOp)

    def narrow(self, values: Values) -> list[SSAValue]:
        """What was combined, in the types of memory."""
        element = memref_of(self.operand).element_type
        return [self._convert(values[0], element, arith.TruncFOp), *values[1:]]

    def _convert(self, value: SSAValue, to: Attribute, by: type[Operation]) -> SSAValue:
        """Floats in another type; between 16 and 64 bits by f32, as processors have it."""
        lanes, element = 1, value.type
        if is_vector_type(element):
            lanes, element = vector_lanes(value), element.element_type
        if {item_size(element), item_size(to)} == {2, 8}:
            value = self.emitter.value(by, (value,), lanes_type(f32, lanes))
        if element == to:
            return value
        return self.emitter.value(by, (value,), lanes_type(to, lanes))
