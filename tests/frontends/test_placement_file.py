"""Placement files: what they request, and their refusals with lines."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.export import export

import devproc
from devproc.backend.placement import Placement, placement_of
from devproc.errors import CompileError

GOOD = """
[devices]
"nn.linear" = "cuda"
"head.*" = "cpu"

[forbidden]
"nn.softmax" = ["cuda", "host"]
"nn.exp" = "cuda"

[memory]
cuda = "1.5 KB"
cpu = 4096
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "places.toml"
    path.write_text(text)
    return path


def test_a_file(tmp_path: Path) -> None:
    found = placement_of(str(write(tmp_path, GOOD)))
    assert found == Placement(
        (("nn.linear", "cuda"), ("head.*", "cpu")),
        (("nn.softmax", "cuda"), ("nn.softmax", "host"), ("nn.exp", "cuda")),
        (("cuda", 1536), ("cpu", 4096)),
    )
    more = found.with_devices({"nn.exp": "cpu"})
    assert more.devices[-1] == ("nn.exp", "cpu")
    assert placement_of(more) is more
    assert placement_of(None) == Placement()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[devices]\n\nnn.linear = 'cuda'", 3, "'nn' needs the name.*quote patterns"),
        ("[devices]\n'nn.exp' = 'cuba'", 2, "no device is called 'cuba'.*mean 'cuda'"),
        ("[devices]\n'nn.exp' = 3", 2, "needs the name of a device, got 3"),
        ("[forbidden]\na = 'cpu'\nb = ['cpu', 'gpu']", 3, "no device is called 'gpu'"),
        ("[memory]\ncpu = '2 KB'\ncuda = '3 parsec'", 3, "a size such as '256 KB'"),
        ("[memory]\ncuda = true", 2, "needs a size such as"),
        ("[memory]\ncuda = -5", 2, "needs a size such as"),
        ("[memory]\nnpux = 5", 2, "no device is called 'npux'"),
        ("\n[device]\n", 2, "unknown section 'device'.*did you mean 'devices'"),
        ("memory = 3", 1, "'memory' must be a section"),
    ],
)
def test_refusals(tmp_path: Path, text: str, line: int, problem: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CompileError, match=rf"{path}:{line}: .*{problem}"):
        placement_of(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"none\.toml cannot be read"):
        placement_of(tmp_path / "none.toml")
    with pytest.raises(CompileError, match=r"cannot be read.*line 2"):
        placement_of(write(tmp_path, "[devices]\n= 3"))
    with pytest.raises(CompileError, match="must be a dict"):
        placement_of(3)


def test_all_problems_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "[devices]\na = 'x'\n[memory]\ncpu = 'y'\n[z]\n")
    with pytest.raises(CompileError) as caught:
        placement_of(path)
    assert str(caught.value).count(str(path)) == 3


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(5, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.fc(x), -1)


def test_compile_and_json(tmp_path: Path) -> None:
    """The requests reach the report, the cache's key and the JSON."""
    exported = export(Net().eval(), (torch.randn(4, 5),))
    text = '[devices]\n"nn.linear" = "cuda"\n[forbidden]\n"nn.exp" = "cuda"\n'
    path = write(tmp_path, text + '[memory]\ncuda = "1 MB"\n')
    program = devproc.compile(exported, "cpu+cuda:interpret", placement=path)
    rows = {row.op: row for row in program.report().placement.rows}
    assert rows["nn.linear"].device == "cuda"
    assert "rejected cuda: forbidden by the user with 'nn.exp'" in rows["nn.exp"].why
    x = torch.randn(4, 5)
    torch.testing.assert_close(program(x), exported.module()(x))
    forbidden = Placement(forbidden=(("nn.expm", "cuda"),))
    with pytest.raises(CompileError, match=r"'nn\.expm' not on 'cuda' matches no op"):
        devproc.compile(exported, "cpu+cuda:interpret", placement=forbidden)
