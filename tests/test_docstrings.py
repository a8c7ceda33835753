"""The before and after in each pass's docstring are a program and its result."""

from __future__ import annotations

import difflib
import inspect
import re

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.ir.verification.verify import verify_module
from devproc.registry import PASSES
from tests.repository import context, parse, pass_class

BLOCKS = re.compile(
    r"Before:\s*```mlir\n(.*?)```.*?After:\s*```mlir\n(.*?)```", re.DOTALL
)


def normalised(module: ModuleOp) -> str:
    """The module's text without the names that SSA values were given."""
    for op in module.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        for value in (*op.results, *(a for block in blocks for a in block.args)):
            value.name_hint = None
    return str(module)


@pytest.mark.parametrize("name", PASSES)
def test_before_becomes_after(name: str) -> None:
    class_ = pass_class(name)
    found = BLOCKS.search(inspect.cleandoc(class_.__doc__ or ""))
    assert found, f"{name}: no 'Before:' and 'After:' with ```mlir blocks"
    ctx = context()
    module, wanted = (parse(text, ctx) for text in found.groups())
    verify_module(module)
    class_().apply(ctx, module)
    verify_module(module)
    got, want = normalised(module), normalised(wanted)
    if got != want and not module.is_structurally_equivalent(wanted):
        lines = difflib.unified_diff(
            want.splitlines(), got.splitlines(), "docstring", "pass", lineterm=""
        )
        pytest.fail("\n".join(lines), pytrace=False)
