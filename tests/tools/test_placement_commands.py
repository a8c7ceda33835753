"""`devproc explain`, `devproc targets` and `--placement`, on a small model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import Result
from torch import nn

from devproc.backend import installed
from devproc.errors import CompileError
from tests.transforms.devices import Alpha, devices

__all__ = ["devices"]
Command = Callable[..., Result]

TARGET = ("--target", "cpu+cuda:interpret")


@pytest.fixture(scope="module")
def pt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "net.pt2"
    layers = nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)).eval()
    torch.export.save(torch.export.export(layers, (torch.randn(2, 7),)), path)
    return path


def test_explain(command: Command, pt2: Path, tmp_path: Path) -> None:
    """A source and a saved program are explained alike."""
    found = command("explain", pt2, "nn.linear", *TARGET, "--most", "1").output
    assert "is on cpu: " in found
    assert "reads from an input on cpu: 56 B" in found
    assert "is read by nn.relu" in found
    assert "  cuda: " in found
    assert "1 more ops match 'nn.linear'" in found
    saved = tmp_path / "net.devproc"
    command("compile", pt2, "-q", *TARGET, "-o", saved)
    assert command("explain", saved, "nn.linear", "--most", "1").output == found
    with pytest.raises(CompileError, match=r"'nn\.linaer' matches no op.*did you mean"):
        command("explain", pt2, "nn.linaer", *TARGET)


def test_a_placement_file(command: Command, pt2: Path, tmp_path: Path) -> None:
    """Of the file and of --place the latter has precedence."""
    path = tmp_path / "places.toml"
    path.write_text('[devices]\n"nn.linear" = "cuda"\n"nn.relu" = "cuda"\n')
    asked = ("--placement", path, "--place", "nn.relu=cpu", *TARGET)
    table = command("inspect", pt2, "--view", "placement", *asked).output
    assert "3 on cuda" not in table
    assert "2 on cuda" in table
    text = command("explain", pt2, "nn.relu", *asked).output
    assert "is on cpu: requested by the user with 'nn.relu'" in text
    path.write_text('[devices]\n"nn.linear" = "gpu"\n')
    with pytest.raises(CompileError, match=rf"{path}:2: no device is called 'gpu'"):
        command("compile", pt2, *asked)


@pytest.mark.usefixtures("devices")
def test_targets(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every installed device, with its numbers, and why it cannot run or is broken."""
    monkeypatch.setattr(Alpha, "missing", lambda *_: "the board is not plugged in")
    monkeypatch.setattr(
        installed, "broken", lambda: {"beta": "cannot register it:\n  1. no class"}
    )
    parts = command("targets").output.split("\n\n")
    found = {part.split()[0]: part for part in parts}
    assert list(found) == list(installed.device_names())
    assert "options    cuda:interpret" in found["cuda"]
    assert "memory     own: 1.05 MB, 1 TB/s" in found["alpha"]
    assert "link       0.5 us and 10 GB/s" in found["alpha"]
    assert "cannot run: the board is not plugged in" in found["alpha"]
    assert "broken     cannot register it:\n             1. no class" in found["beta"]
    assert "here       can run" in found["cpu"]
