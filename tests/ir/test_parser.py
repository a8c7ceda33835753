"""What the printer writes, the parser reads: every float of a dense constant."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    ModuleOp,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tests.repository import context, parse

SPECIAL = (0.0, -0.0, 1.0, np.inf, -np.inf, 12582912.0, 16777215.0, 1e-45, 3.4e38, 0.1)


@pytest.mark.parametrize("element", [f16, bf16, f32, f64], ids=str)
@pytest.mark.parametrize("shape", [VectorType, TensorType])
def test_special_values(element: object, shape: type) -> None:
    for value in SPECIAL:
        if element != f16 or not 65504 < abs(value) < np.inf:
            round_trips(
                DenseIntOrFPElementsAttr.from_list(shape(element, [1]), [value])
            )


def test_random_bits() -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 32, 2000, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[~np.isnan(values)].tolist()
    type_ = TensorType(f32, [len(values)])
    round_trips(DenseIntOrFPElementsAttr.from_list(type_, values))


def test_nan() -> None:
    type_ = VectorType(f32, [2])
    module = constant(DenseIntOrFPElementsAttr.from_list(type_, [float("nan"), 1.0]))
    assert str(parse(str(module))) == str(module)


def test_too_many_digits() -> None:
    with pytest.raises(ParseError, match="f32 has 8 hexadecimal digits"):
        parse("%c = arith.constant dense<0x7F80000000> : vector<2xf32>")


TYPES = (
    "tensor<2x?xf32>",
    'tensor<2x3xf32, #dev.on<"cpu", #dev.layout<[0, 1], [1, 2]>>>',
    "tensor<2x3xf32, #alias>",
    "memref<4x4xi8, affine_map<(d0, d1) -> (d1, d0)>, 1 : i32>",
    "memref<4x4xi8, strided<[4, 1], offset: ?>>",
    "vector<[4]xindex>",
    'tensor<1xf32, "a > b \\" <">',
    "tensor<*xi1>",
    "memref<2xvector<4xf32>>",
)


@pytest.mark.parametrize("text", TYPES)
def test_a_type_is_the_same_each_time(text: str) -> None:
    """As xDSL reads it, with other types between, comments and other spaces."""
    spaced = text.replace(",", " ,\n").replace("<", "< ", 1)
    values = [text, "index", text, f"{text} // > {text}\n", spaced, text]
    arguments = ", ".join(f"%{n}: {value}" for n, value in enumerate(values))
    whole = f'#alias = "one"\nfunc.func @f({arguments}) {{\n func.return\n}}'
    module = parse(whole)
    assert module.is_structurally_equivalent(Parser(context(), whole).parse_module())
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    assert len({*function.function_type.inputs}) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tensor<2x3xf32", "Expected '>'"),
        ("tensor<2x-3xf32>", "Expected"),
        ("dense<1.0> : ", "dense constant has no type"),
        ("dense<1.0> : f32", "dense constant of type f32, which has no numbers"),
        ("dense<1.0> : tensor<?xf32>", "whose shape is dynamic"),
        ("dense<1.0> : tensor<2xnone>", "which has no numbers"),
    ],
)
def test_bad_types(text: str, message: str) -> None:
    good = "%a = arith.constant dense<1.0> : tensor<2x3xf32>\n"
    with pytest.raises(ParseError, match=re.escape(message)):
        parse(f"{good}%b = arith.constant {text}")


def constant(value: DenseIntOrFPElementsAttr) -> ModuleOp:
    """A module with one constant."""
    return ModuleOp([arith.ConstantOp(value)])


def round_trips(value: DenseIntOrFPElementsAttr) -> None:
    """Text and back gives the same bytes."""
    (op,) = parse(str(constant(value))).body.block.ops
    assert isinstance(op, arith.ConstantOp)
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    assert op.value.data == value.data
