"""What the printer writes, the parser reads: every float of a dense constant."""

from __future__ import annotations

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
from xdsl.utils.exceptions import ParseError

from tests.repository import parse

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


def constant(value: DenseIntOrFPElementsAttr) -> ModuleOp:
    """A module with one constant."""
    return ModuleOp([arith.ConstantOp(value)])


def round_trips(value: DenseIntOrFPElementsAttr) -> None:
    """Text and back gives the same bytes."""
    (op,) = parse(str(constant(value))).body.block.ops
    assert isinstance(op, arith.ConstantOp)
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    assert op.value.data == value.data
