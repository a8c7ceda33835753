"""Strings in the printed text: the short way prints what xDSL prints."""

from __future__ import annotations

import io

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.printer import Printer

from devproc.ir.printer import DevProcPrinter

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
