"""Work on the compiler: a pass and a device of other packages, and xDSL's tool on dumps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc.stages import STAGES
from tests.xdsl_opt import xdsl_opt

PACKAGE = Path(__file__).parent.parent / "plugins" / "relu_lab.py"
Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package with one entry point on the path, as `pip install` would."""

    def make(group: str, point: str) -> None:
        folder = tmp_path / group
        info = folder / f"{group}_lab-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {group}-lab\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[devproc.{group}]\n{point}\n")
        shutil.copy(PACKAGE, folder)
        monkeypatch.syspath_prepend(str(folder))

    return make


def test_walk(install: Install, tmp_path: Path) -> None:
    """The pass makes abs of relu, which runs on the device; every dump is xDSL's to read."""
    install("passes", "relu-to-abs = relu_lab:RELU_TO_ABS")
    install("targets", "numpy = tests.backend.numpy_device:NumPy")
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(7, 5), nn.ReLU()).eval(), torch.randn(3, 7)
    exported = torch.export.export(model, (x,))
    program = devproc.compile(
        exported, "cpu+numpy", placement={"*": "cpu", "nn.linear": "numpy"}, cache=False
    )
    assert "nn.abs" in program.ir("tensor")
    assert '"numpy"' in program.ir("placed")
    with torch.no_grad():
        torch.testing.assert_close(program(x), model[0](x).abs())
    for stage in STAGES:
        dump = tmp_path / f"{stage.name}.mlir"
        dump.write_text(program.ir(stage.name))
        printed = xdsl_opt(dump)
        dump.write_text(printed)
        assert xdsl_opt(dump) == printed, stage.name
