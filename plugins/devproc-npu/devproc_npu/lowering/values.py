"""Where the values of a function are in the external memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.ir.types import item_size, tensor_of
from devproc_npu.dialect import AddOp, ConvolutionOp, PoolOp, RescaleOp, byte_count
from devproc_npu.lowering.moves import Place, dense
from devproc_npu.lowering.stream import Arena
from devproc_npu.shapes import aligned


class Values(dict[SSAValue, Place]):
    """Operands and results have buffers of their own; all other values share one, each
    while it is used. An image that is padded once is written inside of its border.
    """

    def __init__(self, function: FuncOp, constant: Callable[[SSAValue], Place]):
        self.constant = constant
        *ops, end = function.body.block.ops
        self.ops = [op for op in ops if not isinstance(op, WeightOp | ConstantOp)]
        self.returned, arguments = end.operands, function.body.block.args
        self.results = len(arguments)
        """The number of the first result's buffer."""
        self.shared = self.results + len(self.returned)
        """The number of the buffer of the other values."""
        for number, value in enumerate((*arguments, *map(root_of, self.returned))):
            if value in arguments or value.owner in self.ops:
                self.setdefault(value, place_of(value, number))
        self.last = {
            root_of(value): number
            for number, op in enumerate((*self.ops, end))
            for value in op.operands
        }
        """The number of the last op that reads a value."""
        self.used: list[tuple[int, int, int]] = []
        """Start, end and last reader of what is in the shared buffer."""
        self.size = 0
        """Bytes of the shared buffer."""
        self.arena = Arena(1 << 62, 1)

    def __missing__(self, value: SSAValue) -> Place:
        if isinstance(value.owner, ReshapeOp):
            strides = place_of(value, 0).strides
            self[value] = self[value.owner.operand].with_strides(*strides)
        else:
            self[value] = self.constant(value)
        return self[value]

    def define(self, op: Operation, number: int) -> None:
        """Find a place for the result of an op, which is the next."""
        (value,) = op.results
        if isinstance(op, ReshapeOp) or value in self:
            return
        pad = self._border(value)
        whole = value if pad is None else pad.result
        last = max(self.last.get(v, number) for v in (value, whole))
        self[whole] = self._allocate(whole, number, last)
        if pad is not None:
            self[value] = self[whole].at(*ints(pad.low))

    def forget_order(self) -> None:
        """A new program begins, after all of the last is complete."""
        self.arena.parts.clear()
        for place in self.values():
            place.part.writes.clear()
            place.part.reads.clear()

    def _border(self, value: SSAValue) -> PadOp | None:
        """The pad that the op of a value writes into."""
        users = [use.operation for use in value.uses]
        pads = [u for u in users if isinstance(u, PadOp) and u.result not in self]
        return pads[0] if pads and all(map(_takes_strides, users)) else None

    def _allocate(self, value: SSAValue, number: int, last: int) -> Place:
        """The first gap between values that are still used."""
        size = aligned(byte_count(tensor_of(value)))
        self.used = sorted(entry for entry in self.used if entry[2] >= number)
        start = 0
        for begin, end, _ in self.used:
            if begin - start >= size:
                break
            start = max(start, end)
        self.used.append((start, start + size, last))
        self.size = max(self.size, start + size)
        place = place_of(value, self.shared, start)
        return replace(place, part=self.arena.at(start, size))


def _takes_strides(op: Operation) -> bool:
    """Whether the instructions of an op read an image inside of its border."""
    if isinstance(op, ConvolutionOp):
        return op.is_image
    return isinstance(op, PadOp | TransposeOp | AddOp | RescaleOp | PoolOp)


def root_of(value: SSAValue) -> SSAValue:
    """What a value is a reshape of."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.operand
    return value


def place_of(value: SSAValue, buffer: int, offset: int = 0) -> Place:
    """A row-major value that begins at a byte of a buffer."""
    type_ = tensor_of(value)
    size = item_size(type_.element_type)
    return Place(buffer, offset, dense(type_.get_shape(), size), size)
