"""`devproc bench`: engines in turns, in processes; what is missing is named."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path

import pytest
import torch
from click.testing import Result
from torch import nn

from devproc.tools.bench import engines
from devproc.tools.bench.measure import Task, measure, ratio
from devproc.tools.bench.worker import burst

Command = Callable[..., Result]

MODELS = """
import torch

def build(name):
    if name == "inverse":
        return Inverse(), (torch.eye(3),)
    return torch.nn.Linear(33, 17), (torch.randn(5, 33),)

class Inverse(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x)
"""


def test_engines_in_turns(tmp_path: Path) -> None:
    """Models of a file; one engine cannot build the second."""
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    tasks = [
        Task("linear", "eager", str(path)),
        Task("linear", "devproc-strict", str(path)),
        Task("inverse", "devproc", str(path)),
    ]
    eager, ours, failed = measure(tasks, rounds=2, seconds=0.001)
    for row in (eager, ours):
        assert len(row["rounds"]) == 2
        assert 0 < row["least"] <= row["median"]
        assert 0 < row["error"] < 1e-6
        assert row["error"] <= 2 * row["torch_error"] or row is eager
    assert failed["failed"].startswith("UnsupportedError: ")
    assert "aten.linalg_inv" in failed["failed"]
    assert ratio(ours, ours) == 1
    assert ratio(ours, eager) == pytest.approx(1 / ratio(eager, ours), rel=0.5)


def test_a_ratio_is_the_median_over_turns() -> None:
    ours = {"rounds": [1.0, 2.0, 30.0]}
    assert ratio(ours, {"rounds": [2.0, 2.0, 10.0]}) == 1.0
    assert (
        ratio(ours, {"rounds": [2.0, 2.0, 10.0]}, {"rounds": [1.0, 0.5, 60.0]}) == 3.0
    )


def test_a_burst_has_several_calls() -> None:
    calls: list[int] = []
    assert len(burst(lambda: calls.append(1), 0.0)) == 3
    assert len(calls) == 4


def test_bench_prints_a_table_and_names_what_is_missing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(nn.Linear(9, 5), (torch.randn(3, 9),)), path)
    real = engines.find_spec
    absent = ("onnxscript", "openvino")
    monkeypatch.setattr(
        engines, "find_spec", lambda name: None if name in absent else real(name)
    )
    done = command(
        "bench", path, "--against", "eager,openvino", "--threads", "1",
        "--rounds", "1", "--seconds", "0.001",
    )  # fmt: skip
    title, head, _, ours, eager, *rest = done.output.splitlines()
    assert title.endswith("cpu, default, 1 thread, 1 turn of 0.001 s")
    assert "devproc / it" in head
    assert ours.split()[0] == "devproc"
    assert eager.split()[0] == "eager"
    assert float(eager.split("│")[3]) > 0
    assert "openvino is not installed: pip install openvino" in rest


def test_a_source_that_no_engine_takes(command: Command, tmp_path: Path) -> None:
    app = tmp_path / "app.py"
    app.write_text("import devproc\npipe = devproc.pipeline('p')\n")
    done = command("bench", f"{app}:pipe", "--against", "", "--rounds", "1", code=1)
    assert "a pipeline runs on no other engine" in done.output
    assert done.output.count("a pipeline") == 1


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "which", lambda name: None)
    assert engines.why_missing("inductor") == "no C++ compiler: install g++ or clang++"
    assert engines.why_missing("eager") is None


def test_a_model_without_float64(tmp_path: Path) -> None:
    path = tmp_path / "models.py"
    path.write_text(
        "import torch\n"
        "class Half(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return x.to(torch.float32) + torch.frombuffer(b'1234', dtype=x.dtype)\n"
        "def build(name):\n"
        "    return Half(), (torch.ones(1),)\n"
    )
    (row,) = measure([Task("half", "eager", str(path))], rounds=1, seconds=0.001)
    assert isnan(row["error"])
