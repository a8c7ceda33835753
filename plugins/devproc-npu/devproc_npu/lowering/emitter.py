"""The code of a function being written: its programs, and the constants that they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack, unpack
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from devproc.dialects.nn.constant import WeightOp
from devproc.ir.types import dtype_name, tensor_of
from devproc_npu.dialect import MULTIPLIED, byte_count
from devproc_npu.groups import numbers
from devproc_npu.isa import Type
from devproc_npu.lowering.moves import Place
from devproc_npu.lowering.stream import Stream
from devproc_npu.lowering.values import Values, place_of
from devproc_npu.machine import COLUMNS, MACHINE
from devproc_npu.shapes import aligned, parts

Constant = Mapping[str, Any]


def constant_of(value: SSAValue) -> Constant:
    """A weight by name, or a constant with its values."""
    if isinstance(value.owner, WeightOp):
        return {"name": value.owner.weight_name}
    type_ = tensor_of(value)
    dtype = dtype_name(type_.element_type)
    return {**filled(numbers(value), dtype), "shape": list(type_.get_shape())}


def filled(values: Sequence[float], dtype: str) -> Constant:
    """A vector of these values."""
    return {"values": list(values), "dtype": dtype, "shape": [len(values)]}


ZERO = filled([0], "int32")


class Emitter:
    """What the rules of the ops append to."""

    def __init__(self, function: FuncOp):
        self.values = Values(function, self._plain)
        self.data: list[Mapping[str, Any]] = []
        """What is in the buffer of constants."""
        self.size = 0
        self.streams: list[Stream] = []

    @property
    def stream(self) -> Stream:
        """The program so far."""
        return self.streams[-1]

    def begin(self, value: SSAValue) -> None:
        """Go on with the program, or begin one of another type: that of a value."""
        type_ = MULTIPLIED.get(tensor_of(value).element_type, Type.INT8)
        if not self.streams or self.stream.type is not type_:
            self.streams.append(Stream(type_, MACHINE))
            self.values.forget_order()

    def datum(self, kind: str, size: int, step: int = 1, **fields: Any) -> Place:
        """A part of the buffer of constants, whose elements have `step` bytes."""
        offset, self.size = self.size, self.size + aligned(size)
        self.data.append({"kind": kind, "offset": offset, "size": size, **fields})
        return Place(self.values.shared + 1, offset, (step,), step)

    def channels(
        self, columns: int, scale: Sequence[Constant], bias: Constant | None = None
    ) -> Place:
        """The parameters of `Requantize` for blocks of 16 columns."""
        step = self.stream.type.channel_bytes
        size, constants = parts(columns, COLUMNS) * step, [bias or ZERO, *scale]
        fields = {"columns": columns, "type": int(self.stream.type)}
        return self.datum("channels", size, step, **fields, constants=constants)

    def scale(self, words: Sequence[int]) -> Sequence[Constant]:
        """One scale, as an op has it, for all channels."""
        if self.stream.type is Type.BF16:
            return [filled(unpack("<f", pack("<i", *words)), "float32")]
        return [filled(words[:1], "int32"), filled(words[1:], "int8")]

    def _plain(self, value: SSAValue) -> Place:
        size, constant = byte_count(tensor_of(value)), constant_of(value)
        place = self.datum("plain", size, constant=constant)
        return place_of(value, place.buffer, place.offset)
