"""`make demo`, with little training: it checks every label itself and leaves files."""

from __future__ import annotations

import ast
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import devproc
from devproc.stages import STAGES
from examples import digits
from tests.filecheck_runner import run_devproc_opt

MODELS = tuple(digits.LAYERS)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the demo leaves, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    text = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEVPROC_CACHE_DIR", str(folder / "cache"))
        digits.demo(folder, 1, Console(file=text, highlight=False, width=120))
    return folder, text.getvalue()


def test_it_prints_what_it_promises(demo: tuple[Path, str]) -> None:
    _, text = demo
    agree = re.findall(r"(\d+) of (\d+)", text)
    assert len(agree) == 2 * len(MODELS)
    assert all(ours == count for ours, count in agree)
    assert int(agree[0][1]) == len(digits.read_digits().test)
    for word in ("accuracy", "latency", "largest diff", "bytes of tensors", "rejected"):
        assert word in text
    for stage in STAGES[1:]:
        assert stage.name in text, "compile time by stage"


@pytest.mark.parametrize("model", MODELS)
def test_it_leaves_every_level(demo: tuple[Path, str], model: str) -> None:
    folder, text = demo
    left = {path.name: path for path in (folder / model).iterdir()}
    dumps = [f"{i:02d}-{stage.name}.mlir" for i, stage in enumerate(STAGES)]
    assert set(left) == {*dumps, "program.ll", "kernels.py", "trace.json"}
    for name in left:
        assert name in text, "the demo says what it leaves"
    assert "define void @segment_0_entry" in left["program.ll"].read_text()
    kernels = ast.parse(left["kernels.py"].read_text())
    assert any(isinstance(node, ast.FunctionDef) for node in kernels.body)
    events = json.loads(left["trace.json"].read_text())["traceEvents"]
    assert {e.get("cat") for e in events} >= {"launch", "copy", "sync"}


@pytest.mark.parametrize("model", MODELS)
def test_its_first_dump_leads_to_its_last(demo: tuple[Path, str], model: str) -> None:
    folder, _ = demo
    first = folder / model / f"00-{STAGES[0].name}.mlir"
    last = folder / model / f"{len(STAGES) - 1:02d}-{STAGES[-1].name}.mlir"
    once = run_devproc_opt([str(first), "--from-stage", STAGES[0].name])
    assert once.code == 0, once.stderr
    assert once.stdout == run_devproc_opt([str(last)]).stdout


@pytest.mark.parametrize("model", MODELS)
def test_its_model_compiles_alone(demo: tuple[Path, str], model: str) -> None:
    folder, _ = demo
    program = devproc.compile(folder / f"{model}.pt2", cache=False)
    image = digits.preprocess(digits.read_digits().test[0])
    assert program(image).shape == (1, 10)
