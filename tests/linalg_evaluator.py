"""What structured loops on tensors mean: an evaluator that is slow and obvious.

Independent of the compiler: each `linalg.generic` is run element by element, each scalar
op is one line of NumPy. bfloat16 is kept as float32 that holds bfloat16 values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, builtin, linalg, tensor
from xdsl.ir import Attribute, Block, Operation, SSAValue

Scalar = Any
Array = np.ndarray

NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i1": np.bool_,
    "index": np.int64,
}


def round_to(value: Scalar, element: Attribute) -> Scalar:
    """A Python or NumPy number as an element of this type."""
    if str(element) == "bf16":
        bits = int(np.float32(value).view(np.uint32))
        if not math.isnan(float(value)):
            bits += 0x7FFF + ((bits >> 16) & 1)
        return np.uint32(bits & 0xFFFF0000).view(np.float32)
    return NUMPY[str(element)](value)


def unsigned(value: Scalar) -> int:
    """The bits of an integer as a number without sign."""
    if isinstance(value, np.bool_):
        return int(value)
    return int(value) & ((1 << (8 * value.dtype.itemsize)) - 1)


def wrap(value: int, element: Attribute) -> Scalar:
    """An integer in two's complement of this type."""
    if str(element) == "i1":
        return np.bool_(value & 1)
    bits = 8 * np.dtype(NUMPY[str(element)]).itemsize
    value &= (1 << bits) - 1
    return NUMPY[str(element)](value - (1 << bits) if value >> (bits - 1) else value)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """IEEE 754-2019 maximum: NaN before all."""
    return a if a != a else b if b != b else max(a, b)


def exp(x: Scalar) -> Scalar:
    """e to the x in the precision of x, correctly rounded up to float64's own error."""
    return np.exp(np.float64(x))


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: int(a) < int(b),
    "sle": lambda a, b: int(a) <= int(b),
    "sgt": lambda a, b: int(a) > int(b),
    "sge": lambda a, b: int(a) >= int(b),
    "ult": lambda a, b: unsigned(a) < unsigned(b),
    "ule": lambda a, b: unsigned(a) <= unsigned(b),
    "ugt": lambda a, b: unsigned(a) > unsigned(b),
    "uge": lambda a, b: unsigned(a) >= unsigned(b),
}
CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF: list[Callable[[Any, Any], bool]] = [
    lambda a, b: False,
    lambda a, b: a == b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a < b or a > b,
    lambda a, b: a == a and b == b,
    lambda a, b: a == b or a != a or b != b,
    lambda a, b: not a <= b,
    lambda a, b: not a < b,
    lambda a, b: not a >= b,
    lambda a, b: not a > b,
    lambda a, b: a != b,
    lambda a, b: a != a or b != b,
    lambda a, b: True,
]

FLOAT: dict[str, Callable[..., Scalar]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: np.divide(a, b),
    "arith.maximumf": larger,
    "arith.extf": lambda a: a,
    "arith.truncf": lambda a: a,
    "arith.sitofp": int,
    "arith.uitofp": unsigned,
    "math.exp": exp,
}
INTEGER: dict[str, Callable[..., int]] = {
    "arith.addi": lambda a, b: int(a) + int(b),
    "arith.subi": lambda a, b: int(a) - int(b),
    "arith.muli": lambda a, b: int(a) * int(b),
    "arith.maxsi": lambda a, b: max(int(a), int(b)),
    "arith.minsi": lambda a, b: min(int(a), int(b)),
    "arith.maxui": lambda a, b: max(unsigned(a), unsigned(b)),
    "arith.andi": lambda a, b: int(a) & int(b),
    "arith.ori": lambda a, b: int(a) | int(b),
    "arith.xori": lambda a, b: int(a) ^ int(b),
    "arith.shrsi": lambda a, b: int(a) >> int(b),
    "arith.extui": unsigned,
    "arith.extsi": int,
    "arith.trunci": int,
    "arith.index_cast": int,
    "arith.fptosi": lambda a: math.trunc(float(a)),
}


def run_scalar(op: Operation, values: dict[SSAValue, Any], point: Sequence[int]) -> Any:
    """The result of one op of a body at a point of the loops."""
    args = [values[operand] for operand in op.operands]
    element = op.results[0].type
    if isinstance(op, arith.ConstantOp):
        number: Any = op.value
        return round_to(number.value.data, element)
    if isinstance(op, linalg.ops.IndexOp):
        return np.int64(point[op.dim.value.data])
    if isinstance(op, tensor.ExtractOp):
        return args[0][tuple(int(i) for i in args[1:])]
    if isinstance(op, arith.CmpiOp):
        return np.bool_(COMPARE[CMPI[op.predicate.value.data]](*args))
    if isinstance(op, arith.CmpfOp):
        return np.bool_(CMPF[op.predicate.value.data](*args))
    if isinstance(op, arith.SelectOp):
        return args[1] if args[0] else args[2]
    if op.name in FLOAT:
        return round_to(FLOAT[op.name](*args), element)
    return wrap(INTEGER[op.name](*args), element)


def run_generic(op: linalg.ops.GenericOp, values: dict[SSAValue, Any]) -> list[Array]:
    """The results of structured loops, element by element."""
    maps = [attribute.data for attribute in op.indexing_maps]
    sizes = op.get_static_loop_ranges()
    inputs = [values[v] for v in op.inputs]
    outputs = [values[v].copy() for v in op.outputs]
    block = op.body.block
    *body, last = block.ops
    for point in itertools.product(*(range(size) for size in sizes)):
        places = [m.eval(point, []) for m in maps]
        scope = dict(values)
        for argument, array, place in zip(
            block.args, [*inputs, *outputs], places, strict=True
        ):
            scope[argument] = array[place]
        for inner in body:
            scope[inner.results[0]] = run_scalar(inner, scope, point)
        for array, place, value in zip(
            outputs, places[len(inputs) :], last.operands, strict=True
        ):
            array[place] = scope[value]
    return outputs


def run_op(op: Operation, values: dict[SSAValue, Any]) -> list[Any]:
    """The results of one op on tensors."""
    if isinstance(op, linalg.ops.GenericOp):
        return run_generic(op, values)
    if isinstance(op, arith.ConstantOp):
        return [run_scalar(op, values, ())]
    type_ = op.results[0].type
    assert isinstance(type_, builtin.TensorType)
    dtype = NUMPY[str(type_.element_type)]
    if isinstance(op, tensor.EmptyOp):
        # Garbage, so that a read before the first write shows.
        return [np.full(type_.get_shape(), 99, dtype)]
    if isinstance(op, linalg.ops.FillOp):
        return [np.full(type_.get_shape(), values[op.inputs[0]], dtype)]
    if isinstance(op, tensor.PadOp):
        *body, last = op.region.block.ops
        scope = dict(values)
        for inner in body:
            scope[inner.results[0]] = run_scalar(inner, scope, ())
        widths = list(
            zip(op.static_low.get_values(), op.static_high.get_values(), strict=True)
        )
        source, border = values[op.source], scope[last.operands[0]]
        return [np.pad(source, widths, constant_values=border)]
    assert op.name == "plan.view", op.name
    return [values[op.operands[0]].reshape(type_.get_shape())]


def run_block(block: Block, arguments: Sequence[Any]) -> list[Any]:
    """What the terminator of a block returns for these arguments."""
    values: dict[SSAValue, Any] = dict(zip(block.args, arguments, strict=True))
    with np.errstate(all="ignore"):
        for op in block.ops:
            if op is block.last_op:
                break
            if op.name == "dev.region":
                inside = [values[v] for v in op.operands]
                results = run_block(op.regions[0].block, inside)
            else:
                results = run_op(op, values)
            values.update(zip(op.results, results, strict=True))
    assert block.last_op is not None
    return [values[v] for v in block.last_op.operands]


def evaluate(
    module: builtin.ModuleOp, inputs: Mapping[int, Any] | Sequence[Any]
) -> Any:
    """The results of `@main` for these arrays."""
    from xdsl.dialects.func import FuncOp

    main = next(
        op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"
    )
    return run_block(main.body.block, list(inputs))
