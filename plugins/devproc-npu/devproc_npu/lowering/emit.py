"""From functions of ops of the NPU to their code: a rule for each op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from math import prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects.nn.base import ints
from devproc.dialects.nn.shape import PadOp, ReshapeOp, TransposeOp
from devproc.ir.types import dtype_name, tensor_of
from devproc_npu import dialect as npu
from devproc_npu.code import Function, encode, encode_program
from devproc_npu.estimate import function_cycles
from devproc_npu.isa import Type
from devproc_npu.lowering.emitter import Emitter, constant_of, filled
from devproc_npu.lowering.moves import copy, fill_border
from devproc_npu.lowering.product import Operands, Products, packed
from devproc_npu.lowering.values import place_of
from devproc_npu.lowering.vector import add, max_pool, sum_pool
from devproc_npu.transforms import functions_of_npu


def build(module: ModuleOp) -> bytes:
    """The code of the functions of a module, whose ops have schedules."""
    return encode({f.sym_name.data: emit(f) for f in functions_of_npu(module)})


def emit(function: FuncOp) -> Function:
    """The code of a function, op by op."""
    emitter = Emitter(function)
    values = emitter.values
    for number, op in enumerate(values.ops):
        values.define(op, number)
        emitter.begin(op.operands[0])
        RULES[type(op)](emitter, op)
    for number, value in enumerate(values.returned, values.results):
        if values[value].buffer != number:
            emitter.begin(value)
            to, shape = place_of(value, number), tensor_of(value).get_shape()
            copy(emitter.stream, values[value], to, shape)
    ends = (*function.body.block.args, *values.returned)
    programs = [encode_program(stream.binary()) for stream in emitter.streams]
    sizes = [npu.byte_count(tensor_of(value)) for value in ends]
    cycles = function_cycles(function)
    return Function(programs, sizes, values.size, emitter.data, cycles)


def product(emitter: Emitter, op: npu.ProductOp) -> None:
    """A convolution, or a product as one line of pixels."""
    assert op.tiles is not None
    values, c, tiling, size = emitter.values, op.shape, op.tiles.tiling, op.type.size
    left, out = values[op.operands[0]], values[op.result]
    if not op.is_image:
        left = left.as_line(c.width, c.channels)
        out = out.as_line(c.width, c.columns)
    if isinstance(op, npu.MatmulOp):
        *images, row, _ = values[op.rhs].strides
        image = row * tensor_of(op.rhs).get_shape()[-2] if images else 0
        right = values[op.rhs].with_strides(image, row, size)
    else:
        *_, last = packed(c, tiling).values()
        fields = {"constant": constant_of(op.operands[1]), "tiling": astuple(tiling)}
        right = emitter.datum("packed", last.stop * size, size, **fields)
    scale = [constant_of(v) for v in (op.multiplier, op.shift) if v is not None]
    bias = None if op.bias is None else constant_of(op.bias)
    channels = emitter.channels(c.columns, scale or UNSCALED[op.type], bias)
    operands = Operands(left, right, channels, out)
    Products(emitter.stream, c, tiling, operands, op.bounds).emit()


UNSCALED = {
    Type.INT8: [filled([0], "int32"), filled([2], "int8")],
    Type.BF16: [filled([1.0], "float32")],
}
"""What `Requantize` reads of sums that are results: in int8 nothing."""


def transpose(emitter: Emitter, op: TransposeOp) -> None:
    """The elements in another order."""
    source = emitter.values[op.operand]
    strides = [source.strides[d] for d in ints(op.permutation)]
    to, shape = emitter.values[op.result], tensor_of(op.result).get_shape()
    copy(emitter.stream, source.with_strides(*strides), to, shape)


def pad(emitter: Emitter, op: PadOp) -> None:
    """An image inside of its border, unless it is there already."""
    source, to = emitter.values[op.operand], emitter.values[op.result]
    type_, shape = tensor_of(op.operand), tensor_of(op.result).get_shape()
    low, sizes = ints(op.low), type_.get_shape()
    if source.part is not to.part:
        copy(emitter.stream, source, to.at(*low), sizes)
    value = filled([0.0], dtype_name(type_.element_type))
    if op.value is not None:
        value = constant_of(op.value)
    line = emitter.datum("plain", prod(shape[2:]) * to.size, constant=value)
    inner = tuple(range(low[d], low[d] + sizes[d]) for d in (1, 2))
    fill_border(emitter.stream, line, to, shape, inner)


def reshape(emitter: Emitter, op: ReshapeOp) -> None:
    """Nothing: the values share their memory."""


RULES: dict[type[Operation], Callable[[Emitter, Any], None]] = {
    npu.ConvolutionOp: product,
    npu.MatmulOp: product,
    npu.AddOp: add,
    npu.RescaleOp: add,
    npu.MaxPoolOp: max_pool,
    npu.SumPoolOp: sum_pool,
    TransposeOp: transpose,
    PadOp: pad,
    ReshapeOp: reshape,
}
