"""Where the values of a function are in the external memory."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.ir.types import item_size, tensor_of
from devproc_npu.dialect import AddOp, ConvolutionOp, PoolOp, RescaleOp, byte_count
from devproc_npu.moves import Place, dense
from devproc_npu.stream import Arena
from devproc_npu.tiling import aligned


class Values:
    """Operands and results have buffers of their own; all other values share one, each
    while it is used. An image that is padded once is written inside of its border.
    """

    def __init__(self, function: FuncOp, constant: Callable[[SSAValue], Place]):
        self.constant = constant
        block = function.body.block
        end = block.last_op
        assert isinstance(end, ReturnOp)
        self.ops = [o for o in block.ops if not isinstance(o, WeightOp | ConstantOp)]
        self.returned = list(end.arguments)
        self.results = len(block.args)
        """The number of the first result's buffer."""
        self.shared = self.results + len(self.returned)
        """The number of the buffer of the other values."""
        self.places: dict[SSAValue, Place] = {}
        for number, value in enumerate(block.args):
            self.places[value] = Place(number, 0, strides_of(value))
        self.last: dict[SSAValue, int] = {}
        for number, op in enumerate(self.ops):
            for value in op.operands:
                self.last[root_of(value)] = number
        self.used: list[tuple[int, int, int]] = []
        """Start, size and last reader of what is in the shared buffer."""
        self.size = 0
        """Bytes of the shared buffer."""
        self.arena = Arena(1 << 62)

    def __getitem__(self, value: SSAValue) -> Place:
        """Where a value is."""
        if value not in self.places:
            owner = value.owner
            if isinstance(owner, ReshapeOp):
                whole = self[owner.operand]
                place = Place(whole.buffer, whole.offset, strides_of(value), whole.part)
                self.places[value] = place
            else:
                self.places[value] = self.constant(value)
        return self.places[value]

    def define(self, op: Operation, number: int) -> None:
        """Find a place for the result of an op, which is the next."""
        (value,) = op.results
        if isinstance(op, ReshapeOp) or value in self.places:
            return
        for index, result in enumerate(self.returned):
            if root_of(result) is value:
                self.places[value] = Place(self.results + index, 0, strides_of(value))
                return
        pad = self._border(value)
        if pad is None:
            self.places[value] = self._allocate(
                value, number, self.last.get(value, number)
            )
            return
        last = max(self.last[v] for v in (value, pad.result) if v in self.last)
        whole = self._allocate(pad.result, number, last)
        self.places[pad.result] = whole
        self.places[value] = whole.at(*ints(pad.low)).with_strides(whole.strides)

    def is_inside(self, op: PadOp) -> bool:
        """Whether the operand of a pad is inside of its result already."""
        return self[op.operand].part is self[op.result].part

    def forget_order(self) -> None:
        """A new program begins, after all of the last is complete."""
        self.arena.parts.clear()
        for place in self.places.values():
            place.part.writer, place.part.readers = None, {}

    def _border(self, value: SSAValue) -> PadOp | None:
        """The pad that the op of a value writes into."""
        users = [use.operation for use in value.uses]
        pads = [user for user in users if isinstance(user, PadOp)]
        if not pads or not all(map(_takes_strides, users)):
            return None
        return None if pads[0].result in self.returned else pads[0]

    def _allocate(self, value: SSAValue, number: int, last: int) -> Place:
        """The first gap between values that are still used."""
        size = aligned(byte_count(tensor_of(value)))
        self.used = [entry for entry in self.used if entry[2] >= number]
        start = 0
        for begin, taken, _ in sorted(self.used):
            if begin - start >= size:
                break
            start = max(start, begin + taken)
        self.used.append((start, size, last))
        self.size = max(self.size, start + size)
        return Place(self.shared, start, strides_of(value), self.arena.at(start, size))


def _takes_strides(op: Operation) -> bool:
    """Whether the instructions of an op read an image inside of its border."""
    if isinstance(op, ConvolutionOp):
        return tensor_of(op.weight).get_num_dims() == 4
    return isinstance(op, PadOp | TransposeOp | AddOp | RescaleOp | PoolOp)


def root_of(value: SSAValue) -> SSAValue:
    """What a value is a reshape of."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.operand
    return value


def strides_of(value: SSAValue) -> tuple[int, ...]:
    """The bytes between the elements of a row-major value."""
    type_ = tensor_of(value)
    return dense(type_.get_shape(), item_size(type_.element_type))
