"""The README: its example and commands run and agree with PyTorch, its links work."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import devproc
from devproc.tools.devproc import main
from tests.repository import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLE = re.search(r"```python\n(.*?)```", README, re.DOTALL)


def example() -> str:
    """The source of the example; its model has the same weights each time."""
    assert EXAMPLE, "the README lost its example"
    return f"import torch\ntorch.manual_seed(0)\n{EXAMPLE.group(1)}"


@cache
def names_of_example() -> dict[str, Any]:
    """What the example defines, run in this process."""
    names: dict[str, Any] = {}
    exec(compile(example(), "README.md", "exec"), names)
    return names


def check(probabilities: Any, label: Any) -> None:
    """The outputs of the example are those of PyTorch and Pillow."""
    names = names_of_example()
    small = Image.fromarray(names["frame"]).resize((32, 32), Image.Resampling.BILINEAR)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    scaled = (np.asarray(small) / 255 - mean) / std
    x = torch.from_numpy(scaled).float().permute(2, 0, 1)[None]
    with torch.no_grad():
        wanted = torch.softmax(names["model"](x), dim=-1).numpy()
    np.testing.assert_allclose(probabilities, wanted, atol=1e-5)
    assert label.tolist() == wanted.argmax(-1).tolist()


def test_example() -> None:
    check(**names_of_example()["out"])


def test_example_is_short() -> None:
    assert EXAMPLE
    code = [line for line in EXAMPLE.group(1).splitlines() if line.strip()]
    assert len(code) <= 25


INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)]+)\)|(?:href|src)=.([^\"'>]+)")


LONG_DESCRIPTIONS = ("README.md", "packages/devproc-runtime/README.md")


@pytest.mark.parametrize("name", LONG_DESCRIPTIONS)
def test_no_link_is_relative(name: str) -> None:
    """These are also pages of the package index, where such a link would lead nowhere."""
    links = ["".join(groups) for groups in LINK.findall((ROOT / name).read_text())]
    assert all(link.startswith("https://") for link in links)


def test_files_that_it_names_are_in_the_source_distribution() -> None:
    manifest = (ROOT / "MANIFEST.in").read_text()
    words = {word.rstrip(",") for word in manifest.split()}
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    text, figures = prose.split("<!-- figures:begin -->")
    prose = text + figures.partition("<!-- figures:end -->")[2]
    names = [n for n in INLINE.findall(prose) if re.fullmatch(r"[\w/]+(\.md)?", n)]
    files = [n for n in names if n.endswith(".md") or n in ("docs", "examples")]
    assert len(files) > 10
    for name in files:
        assert (ROOT / name).exists(), name
        assert name.split("/")[0] in words, name


def test_the_text_is_short() -> None:
    """What it is: ten lines, then a picture."""
    introduction = README.partition("\n\n")[2].partition("\n\n")[0]
    assert len(introduction.splitlines()) <= 10
    assert README.split(introduction)[1].startswith("\n\n```text\n")


def test_the_two_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = names_of_example()
    torch.export.save(names["exported"], "model.pt2")
    x = np.random.default_rng(0).standard_normal((1, 3, 32, 32), np.float32)
    (name,) = names["exported"].graph_signature.user_inputs
    np.save("x.npy", x)
    section = README.partition("## Two commands")[2].partition("## An")[0]
    commands = re.findall(r"^devproc (.*?) +#", section, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["compile", "run"]
    for command in commands:
        words = [word.replace("x=x", f"{name}=x") for word in command.split()]
        main(words, standalone_mode=False)
    found = devproc.load("model.devproc")(x)
    with torch.no_grad():
        wanted = names["model"](torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, wanted, atol=1e-5)
