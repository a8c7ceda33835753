"""The passes over tiles one by one, each from the text that the one before has printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from devproc.driver import make_pass, module_text
from devproc.ir.verification.verify import verify_module
from tests.cpu.native_kernels import TO_LOOPS, context
from tests.repository import ROOT, parse

FILES = sorted((ROOT / "tests" / "filecheck" / "algorithms").glob("*-tiles.mlir"))


def programs(path: Path) -> list[ModuleOp]:
    """The programs of a FileCheck test, scheduled."""
    found = [parse(text) for text in path.read_text().split("// -----")]
    for module in found:
        make_pass("choose-schedules").apply(context(), module)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_pass_goes_on_from_text(path: Path) -> None:
    for module in programs(path):
        read = module.clone()
        for name in TO_LOOPS:
            make_pass(name).apply(context(), module)
            read = parse(module_text(read))
            make_pass(name).apply(context(), read)
            verify_module(read)
        assert "sched." not in str(module)
        assert read.is_structurally_equivalent(module)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_pass_that_ran_changes_nothing(path: Path) -> None:
    for module in programs(path):
        for name in TO_LOOPS:
            make_pass(name).apply(context(), module)
            again = module.clone()
            make_pass(name).apply(context(), again)
            assert again.is_structurally_equivalent(module), name
