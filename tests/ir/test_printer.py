"""The printed text: the short ways print what xDSL prints."""

from __future__ import annotations

import io

import pytest
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    StringAttr,
    TensorType,
    VectorType,
    f16,
    f32,
    f64,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from devproc.driver import make_context, parse_module
from devproc.ir.text.location import fuse_locations, make_location
from devproc.ir.text.printer import DevProcPrinter

STRINGS = [
    "",
    "model.fc1",
    "a b",
    'quo"te',
    "back\\slash",
    "tab\t",
    "é",
    "\x7f",
    "~!#[]^",
]


@pytest.mark.parametrize("string", STRINGS)
def test_same_text_as_xdsl(string: str) -> None:
    ours, theirs = io.StringIO(), io.StringIO()
    DevProcPrinter(ours).print_attribute(StringAttr(string))
    Printer(theirs).print_attribute(StringAttr(string))
    assert ours.getvalue() == theirs.getvalue()


def test_what_is_printed_again_has_the_same_text() -> None:
    inner = make_location("layer", "model.py", 3)
    locations = [inner, fuse_locations([inner, make_location("head", None)]), inner]
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      %1 = nn.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
      %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
      func.return %2 : tensor<2xf32>
    }"""
    module = parse_module(text)
    ops = [op for op in module.walk() if op.name == "nn.relu"]
    for op, location in zip(ops, locations, strict=True):
        op.location = location
    ours, theirs = io.StringIO(), io.StringIO()
    DevProcPrinter(ours, print_debuginfo=True).print_op(module)
    Printer(theirs, print_debuginfo=True).print_op(module)
    assert ours.getvalue() == theirs.getvalue()


@pytest.mark.parametrize("element", [f16, f32, f64], ids=str)
@pytest.mark.parametrize("number", [float("inf"), float("nan"), 12582912.0, 0.1, -0.0])
def test_xdsl_reads_every_number(element: AnyFloat, number: float) -> None:
    """xDSL prints some as hexadecimals and reads these back as integers."""
    if element == f16 and number == 12582912.0:
        number = 2049.0
    for numbers, shape in (([number], [5]), ([number, 1.5], [2])):
        for type_ in (VectorType(element, shape), TensorType(element, shape)):
            dense = DenseIntOrFPElementsAttr.from_list(type_, numbers)
            text = io.StringIO()
            DevProcPrinter(text).print_attribute(dense)
            read = Parser(make_context(), text.getvalue()).parse_attribute()
            assert isinstance(read, DenseIntOrFPElementsAttr)
            assert read.data == dense.data
            assert read.type == dense.type
