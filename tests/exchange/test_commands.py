"""The commands that write, compile and verify JSON; verification beside PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import nn

import devproc
from devproc.entry import verify
from devproc.tools.devproc import main


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(7, 5)
        self.norm = nn.BatchNorm1d(5)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.norm(self.fc(x)).relu().softmax(-1)
        return y, y.argmax(-1)


X = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model as `.pt2`, as JSON with weights, and as a state dict."""
    found = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    model = Net().eval()
    torch.export.save(torch.export.export(model, (X,)), found / "net.pt2")
    torch.save(model.state_dict(), found / "net.pt")
    run(
        "export-json",
        "net.pt2",
        "-o",
        "net.json",
        "--weights",
        "net.safetensors",
        at=found,
    )
    return found


def run(*arguments: str, at: Path, code: int = 0) -> str:
    """The output of `devproc`; names with a suffix are files of the folder."""
    whole = [str(at / a) if "." in a else a for a in arguments]
    result = CliRunner().invoke(main, whole)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_compile_and_run(folder: Path) -> None:
    run("compile", "net.json", "-o", "net.devproc", "--threads", "1", at=folder)
    pt = ("--weights", "net.pt", "--allow-extra-weights")
    run("compile", "net.json", *pt, "-o", "pt.devproc", "--threads", "1", at=folder)
    wanted = torch.export.load(folder / "net.pt2").module()(X)
    for name in ("net.devproc", "pt.devproc"):
        y, label = devproc.load(folder / name)(X)
        torch.testing.assert_close(y, wanted[0])
        assert torch.equal(label, wanted[1])


def test_messages(folder: Path) -> None:
    with pytest.raises(devproc.BundleError, match="num_batches_tracked"):
        run("compile", "net.json", "--weights", "net.pt", at=folder)
    with pytest.raises(devproc.BundleError, match=r"written as \.safetensors, not"):
        run("export-json", "net.pt2", "-o", "b.json", "--weights", "b.pt", at=folder)
    assert not (folder / "b.json").exists()
    text = run("compile", "net.pt2", "--weights", "net.pt", at=folder, code=2)
    assert "--weights are those of a JSON program" in text


def test_verify_beside_the_exported_program(folder: Path) -> None:
    plain = run("verify", "net.json", "--threads", "1", at=folder)
    assert "PyTorch" not in plain
    text = run(
        "verify", "net.json", "--exported", "net.pt2", "--threads", "1", at=folder
    )
    assert "PyTorch" in text
    # The batch norm is folded into the linear layer, which has no node of its own then.
    assert "outputs agree, 3 ops and the outputs also with the exported program" in text


def test_verify_finds_other_weights(folder: Path) -> None:
    """Each op is right, but the program is not the exported one."""
    torch.manual_seed(1)
    torch.save(Net().state_dict(), folder / "other.pt")
    other = devproc.load_json(
        folder / "net.json", folder / "other.pt", allow_extra_weights=True
    )
    found = verify(other, threads=1, precision="strict", exported=folder / "net.pt2")
    assert all(c.local.tolerable for c in (*found.ops, *found.outputs))
    assert not found.passed
    assert "differs by" in found.summary()
    assert "from the exported program in PyTorch" in found.summary()
    matched = [c for c in found.ops if c.exported is not None]
    assert {"nn.linear", "nn.relu", "nn.argmax"} <= {c.name for c in matched}
    linear = next(c for c in matched if c.name == "nn.linear")
    assert linear.exported is not None
    assert linear.exported.max_absolute > 0.01


def test_another_exported_program_is_refused(folder: Path) -> None:
    other = torch.export.export(nn.Linear(7, 5).eval(), (X,))
    with pytest.raises(devproc.InputError, match="is not the one that this program"):
        verify(folder / "net.json", threads=1, exported=other)
