"""Vector operations shared by the loops of a scan: load, widen, combine, store."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.sched import ScanSchedule
from devproc.ir.types import item_size
from devproc.targets.cpu.algorithms.scan.nest import ScanNest
from devproc.targets.cpu.transforms.loops.access import view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import (
    is_vector_type,
    memref_of,
    vector_lanes,
    vector_type,
)

Values = Sequence[SSAValue]


def lanes_type(element: Attribute, lanes: int) -> Attribute:
    """A vector type; the element type for a single lane."""
    return element if lanes == 1 else vector_type(element, lanes)


class ScanVectors:
    """A scan with its tensors viewed as (before, axis, after), or (before, axis)."""

    def __init__(self, nest: ScanNest, schedule: ScanSchedule, emitter: Emitter):
        self.nest, self.schedule, self.emitter = nest, schedule, emitter
        self.op = op = nest.op
        self.before, self.size, self.after = nest.before, nest.size, nest.after
        self.types, self.lanes = nest.types, schedule.lanes
        seen = (self.before, self.size, self.after)[: 2 + (self.after > 1)]
        self.operand = view_as(emitter, op.operand, seen)
        self.outputs = [view_as(emitter, value, seen) for value in op.outputs]

    def starts(self, lanes: int) -> list[SSAValue]:
        """The initial values of the scan, in every lane."""
        return [
            self.emitter.number(number.value.data, lanes_type(number.type, lanes))
            for number in self.op.starts
        ]

    def load(self, point: Values, count: int, lanes: int) -> SSAValue:
        """Adjacent elements in the first lanes; the other lanes hold one of them, too.

        Uses a vector of that length instead of a mask: LLVM splits it into a few whole
        accesses, whereas a masked store takes many cycles on some processors.
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
        """Store the first lanes: elements, and their positions if these are results."""
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
        """Elements in the type in which they are combined."""
        return self._convert(value, self.types[0], arith.ExtFOp)

    def narrow(self, values: Values) -> list[SSAValue]:
        """Combined values in the types of the results."""
        element = memref_of(self.operand).element_type
        return [self._convert(values[0], element, arith.TruncFOp), *values[1:]]

    def _convert(self, value: SSAValue, to: Attribute, by: type[Operation]) -> SSAValue:
        """Convert floats; between 16 and 64 bits through f32, as processors do."""
        lanes, element = 1, value.type
        if is_vector_type(element):
            lanes, element = vector_lanes(value), element.element_type
        if {item_size(element), item_size(to)} == {2, 8}:
            value = self.emitter.value(by, (value,), lanes_type(f32, lanes))
        if element == to:
            return value
        return self.emitter.value(by, (value,), lanes_type(to, lanes))
