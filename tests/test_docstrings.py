"""The before and after in docstrings of passes and patterns are programs and results."""

from __future__ import annotations

import difflib
import inspect
import re

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.verification.verify import verify_module
from devproc.registry import PASSES
from devproc.tools.generate_docs import documented
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
    """In the docstring of the pass, or in those of the patterns in its file."""
    class_ = pass_class(name)
    texts = [inspect.cleandoc(item.__doc__ or "") for item in documented(class_)]
    examples = [found for text in texts if (found := BLOCKS.search(text))]
    assert examples, f"{name}: no 'Before:' and 'After:' with ```mlir blocks"
    for before, after in (example.groups() for example in examples):
        check_example(class_, before, after)


def check_example(class_: type[ModulePass], before: str, after: str) -> None:
    """The pass makes the one text of the other."""
    ctx = context()
    module, wanted = parse(before, ctx), parse(after, ctx)
    verify_module(module)
    class_().apply(ctx, module)
    verify_module(module)
    got, want = normalised(module), normalised(wanted)
    if got != want and not module.is_structurally_equivalent(wanted):
        lines = difflib.unified_diff(
            want.splitlines(), got.splitlines(), "docstring", "pass", lineterm=""
        )
        pytest.fail("\n".join(lines), pytrace=False)
