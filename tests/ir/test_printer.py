"""The printed text: the short ways print what xDSL prints."""

from __future__ import annotations

import io

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.printer import Printer

from devproc.driver import parse_module
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
