"""The before and after in each pass's docstring are a program and its result."""

from __future__ import annotations

import difflib
import inspect
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.ir.verification.verify import verify_module
from devproc.registry import PASSES
from tests.repository import context, parse, pass_class
from tests.xdsl_opt import xdsl_opt

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


def before_and_after(name: str) -> tuple[str, str]:
    """The two programs of a pass's docstring."""
    found = BLOCKS.search(inspect.cleandoc(pass_class(name).__doc__ or ""))
    assert found, f"{name}: no 'Before:' and 'After:' with ```mlir blocks"
    before, after = found.groups()
    return before, after


@pytest.mark.parametrize("name", PASSES)
def test_before_becomes_after(name: str) -> None:
    ctx = context()
    module, wanted = (parse(text, ctx) for text in before_and_after(name))
    verify_module(module)
    pass_class(name)().apply(ctx, module)
    verify_module(module)
    got, want = normalised(module), normalised(wanted)
    if got != want and not module.is_structurally_equivalent(wanted):
        lines = difflib.unified_diff(
            want.splitlines(), got.splitlines(), "docstring", "pass", lineterm=""
        )
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("name", PASSES)
def test_xdsl_opt_runs_it(name: str, tmp_path: Path) -> None:
    """xDSL's own tool, whose parser and dialects are not ours."""
    before, after = before_and_after(name)
    file = tmp_path / "before.mlir"
    file.write_text(before)
    module, wanted = parse(xdsl_opt(file, "-p", name)), parse(after)
    same = normalised(module) == normalised(wanted)
    assert same or module.is_structurally_equivalent(wanted)
