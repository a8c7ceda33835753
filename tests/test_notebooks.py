"""Each notebook runs as a script without a warning, and stays a lesson, not a novel."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

from tests.repository import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_short_and_asserts(path: Path) -> None:
    text = path.read_text()
    cells = text.count("@app.cell")
    asserts = sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(text)))
    sections = text.count("\n    ## ") + text.count('"## ')
    assert len(text.splitlines()) <= 300
    assert cells <= 25
    assert asserts >= max(1, sections)
    assert "STAGES" in text, "the stages come from devproc.stages"
    assert "Pass().apply" not in text, "run stages, not single passes"
