"""A pass that changes results is named; passes that only round differently are not."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from torch import nn

import devproc
from devproc.tools.devproc import main

RELU_LAB = Path(__file__).parent / "plugins" / "relu_lab.py"


@pytest.fixture
def relu_to_abs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installs a pass that replaces relu by abs, at the end of the stage `tensor`."""
    info = tmp_path / "relu_lab-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: relu_lab\nVersion: 1.2\n")
    points = "[devproc.passes]\nrelu-to-abs = relu_lab:RELU_TO_ABS\n"
    (info / "entry_points.txt").write_text(points)
    shutil.copy(RELU_LAB, tmp_path / "relu_lab.py")
    monkeypatch.delitem(sys.modules, "relu_lab", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))


class Network(nn.Module):
    """A batch norm, which is folded, and a state, which the model writes to."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 5, 3), nn.BatchNorm2d(5), nn.ReLU(), nn.Softmax(1)
        )
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.count.add_(1)
        return self.layers(x), self.count * 2


@pytest.fixture(scope="module")
def exported() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    network = Network()
    norm = network.layers[1]
    assert isinstance(norm, nn.BatchNorm2d)
    for tensor in (norm.weight, norm.bias, norm.running_mean):
        assert tensor is not None
        nn.init.normal_(tensor)
    return torch.export.export(network.eval(), (torch.zeros(2, 3, 9, 7),))


def test_passes_keep_the_results(exported: torch.export.ExportedProgram) -> None:
    found = devproc.verify_passes(exported, threads=1)
    assert found.passed, str(found)
    assert found.first_differing is None
    changed = {p.name: p.difference.max_absolute for p in found.passes}
    assert changed["fold-batch-norm"] > 0, "it rounds differently"
    assert found.summary() == f"all {len(found.passes)} passes keep the results"


@pytest.mark.usefixtures("relu_to_abs")
def test_a_wrong_pass_is_named(exported: torch.export.ExportedProgram) -> None:
    # With the references alone, abs is as right as relu.
    assert devproc.verify(exported, threads=1).passed
    found = devproc.verify_passes(exported, threads=1)
    assert not found.passed
    first = found.first_differing
    assert first is not None
    assert first.name == "relu-to-abs"
    assert [p.name for p in found.passes if not p.difference.tolerable] == [first.name]
    assert "the pass 'relu-to-abs' changes a result by" in found.summary()
    assert "relu-to-abs" in str(found)


@pytest.mark.usefixtures("relu_to_abs")
def test_it_depends_on_the_sample() -> None:
    relu = torch.export.export(nn.ReLU(), (torch.zeros(2, 3),))
    sample = {"input": torch.ones(2, 3)}
    assert devproc.verify_passes(relu, inputs=sample).passed
    found = devproc.verify_passes(relu, inputs={"input": -torch.ones(2, 3)})
    assert found.first_differing is not None
    assert found.first_differing.difference.max_absolute == 1


def test_a_pipeline_is_compared_once_it_is_lowered() -> None:
    pipe = devproc.pipeline("steps")
    x = pipe.input("image", "uint8", (9, 11, 3))
    x = pipe.normalize(x, mean=(0.4, 0.5, 0.6), std=(0.2, 0.3, 0.4))
    pipe.output("best", pipe.argmax(x, axis=1))
    image = np.random.default_rng(0).integers(0, 256, (9, 11, 3), dtype=np.uint8)
    found = devproc.verify_passes(pipe, inputs={"image": image})
    assert found.passed
    names = [p.name for p in found.passes]
    assert "lower-pipe" not in names
    assert "decompose-nn" in names
    with pytest.raises(devproc.InputError, match="'frame' is not an input"):
        devproc.verify_passes(pipe, inputs={"frame": image})


@pytest.mark.usefixtures("relu_to_abs")
def test_the_command(exported: torch.export.ExportedProgram, tmp_path: Path) -> None:
    torch.export.save(exported, tmp_path / "net.pt2")
    arguments = ["verify", str(tmp_path / "net.pt2"), "--threads", "1"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    run = CliRunner().invoke(main, [*arguments, "--passes"])
    assert run.exit_code == 1, run.output
    assert "the pass 'relu-to-abs' changes a result" in run.output
