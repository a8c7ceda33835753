"""The before and after in docstrings of passes and patterns are programs and results."""

from __future__ import annotations

import difflib
import inspect
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.ir.verification.verify import verify_module
from devproc.registry import passes
from devproc.tools.generate_docs import documented
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


def examples(name: str) -> list[tuple[str, str]]:
    """The two programs in the docstring of a pass, or in each of those of its patterns."""
    texts = [inspect.cleandoc(i.__doc__ or "") for i in documented(pass_class(name))]
    found = [blocks for text in texts for blocks in BLOCKS.findall(text)]
    assert found, f"{name}: no 'Before:' and 'After:' with ```mlir blocks"
    return found


@pytest.mark.parametrize("name", passes())
def test_before_becomes_after(name: str) -> None:
    for before, after in examples(name):
        ctx = context()
        module, wanted = parse(before, ctx), parse(after, ctx)
        verify_module(module)
        pass_class(name)().apply(ctx, module)
        verify_module(module)
        got, want = normalised(module), normalised(wanted)
        if got != want and not module.is_structurally_equivalent(wanted):
            lines = difflib.unified_diff(
                want.splitlines(), got.splitlines(), "docstring", "pass", lineterm=""
            )
            pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("name", passes())
def test_xdsl_opt_runs_it(name: str, tmp_path: Path) -> None:
    """xDSL's own tool, whose parser and dialects are not ours."""
    for before, after in examples(name):
        file = tmp_path / "before.mlir"
        file.write_text(before)
        module, wanted = parse(xdsl_opt(file, "-p", name)), parse(after)
        same = normalised(module) == normalised(wanted)
        assert same or module.is_structurally_equivalent(wanted)
