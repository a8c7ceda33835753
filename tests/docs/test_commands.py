"""The commands, the JSON and the TOML of the pages work, on the files that they name."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from safetensors.torch import save_file
from torch import nn

import devproc
from devproc.backend.placement import placement_of
from tests.repository import ROOT
from tests.tools.conftest import command as command

DOCS = ROOT / "docs"
APP = """
import devproc
pipe = devproc.pipeline("classify")
image = pipe.input("image", "uint8", (9, 7, 3))
x = pipe.layout(pipe.normalize(pipe.resize(image, (6, 5)), 0.5, 0.5), "HWC->NCHW")
pipe.output("logits", pipe.model("model.pt2", x))
"""
ELSEWHERE = {
    "backends": "tests/walks/test_compiler_work.py",
    "contributing": "tests/tools/test_devproc_opt.py",
    "ship/setup": "tests/walks/test_shipping.py",
}
"""Page -> the tests that run what its commands do."""
LINES_ELSEWHERE = {
    "devproc tune model.pt2 --target cuda": "tests/test_tuning.py",
    "devproc bench model.pt2": "tests/tools/test_bench.py",
}
"""A command that needs a GPU, and one that takes long -> the tests that run it."""


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language on a page."""
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return fence.findall((DOCS / f"{page}.md").read_text())


PAGES = [
    name
    for path in sorted(DOCS.rglob("*.md"))
    if blocks(name := path.relative_to(DOCS).with_suffix("").as_posix(), "sh")
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the models, weights and arrays that pages name."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.fc = nn.Conv2d(3, 4, 3), nn.Linear(48, 5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fc(self.conv(x).relu().flatten(1))

    torch.manual_seed(0)
    net, x = Net().eval(), torch.randn(1, 3, 6, 5)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    torch.export.save(torch.export.export(net, (x,)), "model.pt2")
    shutil.copy("model.pt2", "net.pt2")
    torch.save({**net.state_dict(), "more": x}, "other.pt")
    Path("app.py").write_text(APP)
    np.save("x.npy", x.numpy())
    return tmp_path


def commands(page: str) -> list[str]:
    """The lines of the blocks, without comments."""
    lines = (line for block in blocks(page, "sh") for line in block.splitlines())
    return [re.sub(r"\s+#.*", "", line) for line in lines]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
@pytest.mark.usefixtures("folder")
def test_commands_run(page: str, command: Callable[..., Result]) -> None:
    for line in commands(page):
        if line in LINES_ELSEWHERE:
            continue
        name, *arguments = shlex.split(line)
        if name == "devproc":
            command(*arguments)
        elif shutil.which("cc"):
            subprocess.run(line, shell=True, check=True)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_other_tests_run_them(page: str) -> None:
    assert page in PAGES
    assert (ROOT / ELSEWHERE[page]).is_file()


@pytest.mark.parametrize("line", LINES_ELSEWHERE)
def test_other_tests_run_the_line(line: str) -> None:
    assert any(line in commands(page) for page in PAGES)
    assert (ROOT / LINES_ELSEWHERE[line]).is_file()


def test_the_program_in_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = blocks("json", "json")
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(text)
    weight, x = torch.randn(10, 64), torch.randn(1, 64)
    save_file({"fc.weight": weight}, "model.safetensors")
    program = devproc.compile(devproc.load_json("model.json"))
    torch.testing.assert_close(program(x=x)["output"], x @ weight.T)


def test_the_placement_file(tmp_path: Path) -> None:
    (text,) = blocks("placement", "toml")
    path = tmp_path / "devices.toml"
    path.write_text(text)
    found = placement_of(path)
    assert dict(found.devices)["nn.conv2d"] == "cuda"
