"""Each notebook runs as a script without a warning, and stays a lesson, not a novel."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:devproc", str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


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
