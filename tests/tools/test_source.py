"""What SOURCE may be on the command line, and what it says of others; how it starts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from torch import nn

import devproc
from devproc.errors import BuildError, BundleError
from devproc.tools.devproc import COMMANDS

Command = Callable[..., Result]

APP = """
import devproc
import torch
from helper import SIZE

pipe = devproc.pipeline("app")
pipe.output("y", pipe.cast(pipe.input("x", "uint8", (SIZE, 3)), "float32"))
net = torch.export.export(torch.nn.ReLU(), (torch.randn(SIZE),))
layer = torch.nn.ReLU()

def build():
    return pipe

def sized(size):
    return pipe

def broken():
    return 1 // 0
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("SIZE = 7\n")
    path = tmp_path / "app.py"
    path.write_text(APP)
    return path


def test_names_in_a_python_file(command: Command, app: Path) -> None:
    assert "program 'app' for cpu" in command("compile", f"{app}:pipe").output
    assert "program 'app' for cpu" in command("compile", f"{app}:build").output
    assert "program for cpu" in command("compile", f"{app}:net").output
    for name, message in (
        ("", ":NAME is needed; it has pipe (a pipeline), net (an exported program)"),
        (":pip", "defines no 'pip'; it has pipe (a pipeline), net"),
        (":pip", "did you mean 'pipe'?"),
        (":sized", "'sized' takes arguments; name a function of none"),
        (":layer", "cannot import a ReLU"),
        (":broken", "ZeroDivisionError: integer division"),
        (":broken", "app.py, line 18"),
        (":broken", "return 1 // 0"),
    ):
        try:
            output = command(
                "compile", f"{app}{name}", code=1 if "broken" in name else 2
            )
            text = output.output
        except BuildError as error:
            text = str(error)
        assert message in text.replace("\n", " ").replace("  ", " "), text


def test_files_without_a_program(command: Command, tmp_path: Path) -> None:
    functions = tmp_path / "functions.py"
    functions.write_text("def make():\n    pass\ndef other(x):\n    pass\n")
    assert "it has make (a function)" in command("compile", functions, code=2).output
    functions.write_text("x = 1\n")
    assert "it has no pipeline" in command("inspect", functions, code=2).output
    functions.write_text("x = (\n")
    assert "SyntaxError" in command("inspect", functions, code=1).output
    assert "no file" in command("verify", tmp_path / "none.py:pipe", code=2).output


def test_foreign_files_and_folders(command: Command, tmp_path: Path) -> None:
    torch.save(nn.ReLU().state_dict(), tmp_path / "state.pt")
    for name in ("compile", "inspect", "verify"):
        with pytest.raises(BundleError, match="a pickled dict"):
            command(name, tmp_path / "state.pt")
        with pytest.raises(BundleError, match="is a folder"):
            command(name, tmp_path)
    with pytest.raises(BundleError, match=r"is a pickled dict.*not a saved program"):
        command("run", tmp_path / "state.pt")


def test_json_and_its_weights(command: Command, tmp_path: Path) -> None:
    exported = torch.export.export(nn.Linear(3, 2), (torch.randn(1, 3),))
    devproc.export_json(exported, tmp_path / "net.json")
    with pytest.raises(
        BundleError, match=r"no file given for the 2 weights.*--weights"
    ):
        command("compile", tmp_path / "net.json")
    done = command("compile", f"{tmp_path}/net.json", "--weights", tmp_path, code=2)
    assert "is a directory" in done.output


def test_inspect_groups_equal_placements(command: Command, tmp_path: Path) -> None:
    net = nn.Sequential(*(nn.ReLU() if i % 2 else nn.Linear(3, 3) for i in range(20)))
    exported = torch.export.export(net.eval(), (torch.randn(5, 3),))
    torch.export.save(exported, tmp_path / "net.pt2")
    saved = tmp_path / "net.dpb"
    devproc.compile(exported).save(saved)
    for source in (tmp_path / "net.pt2", saved):
        lines = command("inspect", source, "--view", "placement").output.splitlines()
        (linear,) = (line for line in lines if "nn.linear" in line)
        assert [cell.strip() for cell in linear.split("│")][1:3] == [
            "10",
            "0, 2, 4 and 7 more",
        ]
        everything = command("inspect", source).output
        assert everything.startswith("program for cpu")
        assert "inputs   input: float32 (5, 3)" in everything


START = """
import sys
from devproc.tools.devproc import main
try:
    main(sys.argv[1:])
except SystemExit as done:
    assert not done.code, done.code
heavy = ("torch", "triton", "llvmlite", "xdsl", "jsonschema", *sys.argv[2:0])
print([name for name in heavy if name in sys.modules], "numpy" in sys.modules)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["compile", "--help"]]
)
def test_help_starts_fast(arguments: list[str]) -> None:
    """Nothing heavy is imported, not even NumPy."""
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[] False"


def test_run_needs_numpy_alone(tmp_path: Path) -> None:
    exported = torch.export.export(nn.ReLU(), (torch.randn(5),))
    program = devproc.compile(exported, cpu="x86-64", threads=1)
    if program.artifact.why_not_here() is not None:
        pytest.skip("a machine of another architecture")
    program.save(tmp_path / "relu.devproc")
    np.save(tmp_path / "x.npy", np.ones(5, np.float32))
    given = ["run", str(tmp_path / "relu.devproc"), "-i", str(tmp_path / "x.npy")]
    done = subprocess.run(
        [sys.executable, "-c", START, *given],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["output = [1. 1. 1. 1. 1.]", "[] True"]


@pytest.mark.parametrize("name", [*(n for n in COMMANDS if n != "cache"), "cache why"])
def test_help_explains_every_option(command: Command, name: str) -> None:
    text = command(*name.split(), "--help").output
    options = [line for line in text.splitlines() if line.lstrip().startswith("-")]
    assert len(options) >= (1 if name in ("targets", "bundle-check") else 3)
    for line, after in zip(text.splitlines(), text.splitlines()[1:], strict=False):
        if line.lstrip().startswith("-"):
            explained = "  " in line.strip() or after.startswith(" " * 20)
            assert explained, f"{name}: {line} is not explained"
    if "SOURCE" in text.splitlines()[0]:
        assert "SOURCE is" in text


def test_module_and_errors_are_messages(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "devproc", *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert run("--version").stdout.startswith("devproc, version")
    done = run("run", str(tmp_path / "none.devproc"))
    assert done.returncode == 1
    assert done.stderr.startswith("devproc: no saved program at")
    assert len(done.stderr.splitlines()) == 1
