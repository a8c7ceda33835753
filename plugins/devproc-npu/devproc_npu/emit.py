"""From a function of ops of the NPU to its code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from math import prod
from struct import pack, unpack
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_of, ints
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.ir.types import dtype_name, item_size, tensor_of
from devproc_npu import dialect as npu
from devproc_npu.code import Function, encode, encode_program
from devproc_npu.estimate import function_cycles
from devproc_npu.groups import numbers
from devproc_npu.isa import Type
from devproc_npu.machine import COLUMNS, MACHINE
from devproc_npu.moves import Place, copy, fill_border
from devproc_npu.product import Operands, Products, packed_bytes
from devproc_npu.stream import Stream
from devproc_npu.tiling import aligned, parts
from devproc_npu.transforms import functions_of_npu
from devproc_npu.values import Values, strides_of
from devproc_npu.vector import Pool, add

Constant = Mapping[str, Any]
Pair = tuple[int, int]


def build(module: ModuleOp) -> bytes:
    """The code of the functions of a module, whose ops have schedules."""
    functions = functions_of_npu(module)
    return encode({f.sym_name.data: FunctionEmitter(f).emit() for f in functions})


def constant_of(value: SSAValue) -> Constant:
    """A weight by name, or a constant with its values."""
    if isinstance(value.owner, WeightOp):
        return {"name": value.owner.weight_name}
    type_ = tensor_of(value)
    return filled(numbers(value), dtype_name(type_.element_type), type_.get_shape())


def filled(
    values: Sequence[float], dtype: str, shape: Sequence[int] | None = None
) -> Constant:
    """A constant of these values."""
    shape = [len(values)] if shape is None else list(shape)
    return {"values": list(values), "dtype": dtype, "shape": shape}


class FunctionEmitter:
    """The instructions of a function, op by op, and the constants that they read."""

    def __init__(self, function: FuncOp):
        self.function = function
        self.values = Values(function, self._plain)
        self.data: list[Mapping[str, Any]] = []
        self.size = 0
        self.streams: list[Stream] = []

    def emit(self) -> Function:
        """The code."""
        values = self.values
        for number, op in enumerate(values.ops):
            if isinstance(op, ReturnOp):
                break
            values.define(op, number)
            self._begin(tensor_of(op.operands[0]).element_type == npu.BF16)
            EMITTERS[type(op)](self, op)
        for number, value in enumerate(values.returned, values.results):
            if values[value].buffer != number:
                self._begin(tensor_of(value).element_type == npu.BF16)
                self._copy(value, Place(number, 0, strides_of(value)))
        ends = (*self.function.body.block.args, *values.returned)
        return Function(
            [encode_program(stream.binary()) for stream in self.streams],
            [npu.byte_count(tensor_of(value)) for value in ends],
            values.size,
            self.data,
            function_cycles(self.function),
        )

    def _begin(self, is_bf16: bool) -> None:
        """Go on with the program, or begin one of another type."""
        type_ = Type.BF16 if is_bf16 else Type.INT8
        if not self.streams or self.streams[-1].type is not type_:
            self.streams.append(Stream(type_, MACHINE))
            self.values.forget_order()

    @property
    def stream(self) -> Stream:
        """The program so far."""
        return self.streams[-1]

    # Constants.

    def _datum(self, kind: str, size: int, step: int, **fields: Any) -> Place:
        """A part of the buffer of constants."""
        offset, self.size = self.size, self.size + aligned(size)
        self.data.append({"kind": kind, "offset": offset, "size": size, **fields})
        return Place(self.values.shared + 1, offset, (step,))

    def _plain(self, value: SSAValue) -> Place:
        place = self._datum(
            "plain", npu.byte_count(tensor_of(value)), 1, constant=constant_of(value)
        )
        return place.with_strides(strides_of(value))

    def _channels(self, columns: int, constants: Sequence[Constant]) -> Place:
        step = self.stream.type.channel_bytes
        return self._datum(
            *("channels", parts(columns, COLUMNS) * step, step),
            columns=columns,
            type=int(self.stream.type),
            constants=constants,
        )

    def _uniform(self, columns: int, scale: Sequence[int]) -> Place:
        """Channels without biases that have one scale."""
        if self.stream.type is Type.BF16:
            factor = unpack("<f", pack("<i", *scale))
            pair = [filled([0.0], "float32"), filled(factor, "float32")]
            return self._channels(columns, pair)
        multiplier, shift = scale
        three = [([0], "int32"), ([multiplier], "int32"), ([shift], "int8")]
        return self._channels(columns, [filled(*one) for one in three])

    # Products.

    def product(
        self,
        op: npu.ProductOp,
        left: Callable[[int], Place],
        right: Callable[[int], Place],
        out: Callable[[int], Place],
    ) -> None:
        """A convolution or product of places."""
        shape = op.shape
        assert op.tiles is not None
        bias, multiplier, shift = (
            None if value is None else constant_of(value)
            for value in (op.bias, op.multiplier, op.shift)
        )
        if op.type is Type.BF16:
            scale = [filled([1.0], "float32")]
        elif multiplier is None or shift is None:
            scale = [filled([0], "int32"), filled([2], "int8")]
        else:
            scale = [multiplier, shift]
        channels = self._channels(shape.columns, [bias or filled([0], "int32"), *scale])
        operands = Operands(left, right, channels, out)
        Products(self.stream, shape, op.tiles.tiling, operands, _bounds(op)).emit()

    def convolution(self, op: npu.ConvolutionOp) -> None:
        """A convolution by a packed weight, or a linear layer: one line of pixels."""
        shape, size = op.shape, op.type.size
        assert op.tiles is not None
        tiling = op.tiles.tiling
        packed = self._datum(
            *("packed", packed_bytes(shape, tiling, size), 1),
            constant=constant_of(op.weight),
            tiling=astuple(tiling),
        )
        left, out = self.values[op.input], self.values[op.result]
        if tensor_of(op.weight).get_num_dims() == 2:
            left = left.with_strides((0, 0, shape.channels * size, size))
            wide = shape.result_size(op.type)
            out = out.with_strides((0, 0, shape.columns * wide, wide))
        self.product(op, left.at, lambda _: packed, out.at)

    def matmul(self, op: npu.MatmulOp) -> None:
        """A product for each index of the leading dimensions."""
        batch = op.out.get_shape()[:-2]

        def image(value: SSAValue, number: int) -> Place:
            place, depth = self.values[value], len(tensor_of(value).get_shape()) - 2
            index = np.unravel_index(number, batch) if batch and depth else ()
            return place.at(*map(int, index))

        def line(value: SSAValue, number: int) -> Place:
            place = image(value, number)
            return place.with_strides((0, *place.strides))

        self.product(
            op,
            lambda number: line(op.lhs, number),
            lambda number: image(op.rhs, number),
            lambda number: line(op.result, number),
        )

    # Other ops.

    def add(self, op: npu.AddOp | npu.RescaleOp) -> None:
        """A sum, or one tensor: plus zero times itself."""
        assert op.block is not None
        scale, scales = list(ints(op.scale)), None
        if len(scale) == 2:
            scale = [*scale, 0, 2, *npu.ONE]
        if scale:
            scales = self._datum("plain", 24, 1, constant=filled(scale, "int32"))
        terms = [self.values[value] for value in op.operands]
        out, shape = self.values[op.result], op.out.get_shape()
        add(self.stream, terms, out, shape, op.block.sizes, scales, _bounds(op))

    def pool(self, op: npu.MaxPoolOp | npu.SumPoolOp) -> None:
        """The windows of an image."""
        assert op.block is not None
        image, out = self.values[op.input], self.values[op.result]
        pool, shape = Pool(self.stream, image, out, op.window), op.out.get_shape()
        if isinstance(op, npu.SumPoolOp):
            scales = self._uniform(shape[-1], ints(op.scale))
            pool.emit(shape, op.block.sizes, scales, _bounds(op))
        else:
            pool.emit(shape, op.block.sizes)

    def transpose(self, op: TransposeOp) -> None:
        """The elements in another order."""
        source, order = self.values[op.operand], ints(op.permutation)
        strides = tuple(source.strides[d] for d in order)
        self._copy(op.result, self.values[op.result], source.with_strides(strides))

    def pad(self, op: PadOp) -> None:
        """An image inside of its border, unless it is there already."""
        to, size = self.values[op.result], item_size(tensor_of(op.result).element_type)
        shape = tensor_of(op.result).get_shape()
        low, high = ints(op.low), ints(op.high)
        if not self.values.is_inside(op):
            inner = to.at(*low).with_strides(to.strides)
            self._copy(op.operand, inner)
        line = prod(shape[2:]) * size
        dtype = dtype_name(tensor_of(op.operand).element_type)
        value = filled([0.0], dtype) if op.value is None else constant_of(op.value)
        fill = self._datum("plain", line, 1, constant=value)
        border = list(zip(low, high, strict=True))[1:3]
        fill_border(self.stream, fill, to, shape, border, size)

    def reshape(self, op: ReshapeOp) -> None:
        """Nothing: the values share their memory."""

    def _copy(self, value: SSAValue, to: Place, source: Place | None = None) -> None:
        """Copy a value, or one of its type from another place."""
        type_, source = tensor_of(value), source or self.values[value]
        size = item_size(type_.element_type)
        copy(self.stream, source, to, type_.get_shape(), size)


def _bounds(op: Any) -> Pair:
    return int_of(op.low), int_of(op.high)


EMITTERS: dict[type[Operation], Callable[[FunctionEmitter, Any], None]] = {
    npu.ConvolutionOp: FunctionEmitter.convolution,
    npu.MatmulOp: FunctionEmitter.matmul,
    npu.AddOp: FunctionEmitter.add,
    npu.RescaleOp: FunctionEmitter.add,
    npu.MaxPoolOp: FunctionEmitter.pool,
    npu.SumPoolOp: FunctionEmitter.pool,
    TransposeOp: FunctionEmitter.transpose,
    PadOp: FunctionEmitter.pad,
    ReshapeOp: FunctionEmitter.reshape,
}
