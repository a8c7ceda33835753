"""A pass of another package takes part everywhere, or its package is named in an error."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from devproc import plugins
from devproc.backend.placement import Placement
from devproc.driver import stages_between
from devproc.entry import source_key
from devproc.errors import RegistrationError
from devproc.ir.entry_points import PASSES, digest_of_packages
from devproc.stages import STAGES
from devproc.tools.stage_table import stage_table
from tests.filecheck_runner import run_devproc_opt

PACKAGE = Path(__file__).parent / "plugins" / "relu_lab.py"
PROGRAM = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
"""
INTRO = "from tests.plugins.relu_lab import ReluToAbsPass\n"
PLUGIN = "from devproc.plugins import PassPlugin\n" + INTRO + "P = PassPlugin"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package with entry points on the path, as `pip install` would."""

    def make(points: str, source: str | None = None, name: str = "relu_lab") -> Path:
        folder = tmp_path / f"site_{name}"
        info = folder / f"{name}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[devproc.passes]\n{points}\n")
        module = folder / f"{name}.py"
        if source is None:
            shutil.copy(PACKAGE, module)
        else:
            module.write_text(source)
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(folder))
        return module

    return make


def exported() -> torch.export.ExportedProgram:
    return torch.export.export(nn.ReLU().eval(), (torch.zeros(2, 3),))


def test_without_plugins_the_stages_are_ours() -> None:
    assert plugins.stages() is STAGES
    assert digest_of_packages(PASSES) == ""


def test_it_runs_in_compile_and_ir(install: Install) -> None:
    source, x = exported(), torch.tensor([[-1.0, 2.0, -3.0], [0.0, -0.5, 4.0]])
    # In the cache, too, the one is not the other.
    assert torch.equal(devproc.compile(source)(x), torch.relu(x))
    install("relu-to-abs = relu_lab:RELU_TO_ABS")
    program = devproc.compile(source)
    assert torch.equal(program(x), torch.abs(x))
    assert "nn.relu" in program.ir("program")
    assert "nn.relu" not in program.ir("tensor")
    assert torch.equal(devproc.compile(source)(x), torch.abs(x))


def test_a_newer_version_replaces_the_one_that_ran(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = install("relu-to-abs = relu_lab:RELU_TO_ABS")
    assert "nn.abs" in devproc.compile(exported(), cache=False).ir("tensor")
    rest = [folder for folder in sys.path if folder != str(older.parent)]
    monkeypatch.setattr(sys, "path", rest)
    text = PACKAGE.read_text().replace("AbsOp", "SqrtOp")
    install("relu-to-abs = newer_lab:RELU_TO_ABS", text, "newer_lab")
    assert "nn.sqrt" in devproc.compile(exported(), cache=False).ir("tensor")


def test_it_stands_in_its_place(install: Install) -> None:
    install("relu-to-abs = relu_lab:RELU_TO_ABS")
    (stage,) = stages_between("program", "tensor")
    place = stage.passes.index("relu-to-abs")
    assert stage.passes[place - 1 : place + 2] == (
        "canonicalize",
        "relu-to-abs",
        "simplify-attention",
    )
    assert "canonicalize, relu-to-abs, simplify-attention" in stage_table(
        plugins.stages()
    )
    assert "relu-to-abs" not in stage_table()


def test_devproc_opt_has_it(install: Install, tmp_path: Path) -> None:
    install("relu-to-abs = relu_lab:RELU_TO_ABS")
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM)
    assert "relu-to-abs" in run_devproc_opt(["--list-stages"]).stdout
    for arguments in (["-p", "relu-to-abs"], ["--to-stage", "tensor"]):
        result = run_devproc_opt([str(file), *arguments])
        assert result.code == 0, result.stderr
        assert "nn.abs" in result.stdout


def test_the_key_has_its_sources(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, keys = exported(), set[str]()

    def key() -> str:
        found = source_key(source, {}, Placement(), None, {})
        assert found is not None
        return found[0].name

    keys.add(key())
    module = install("relu-to-abs = relu_lab:RELU_TO_ABS")
    keys.add(key())
    module.write_text(module.read_text() + "\nMORE = 1\n")
    assert key() in keys, "the sources are read once in a process"
    monkeypatch.syspath_prepend(str(module.parent / "empty"))
    keys.add(key())
    assert len(keys) == 3
    assert "relu_lab" not in sys.modules, "a key does not import the package"


def test_passes_may_stand_next_to_each_other(install: Install) -> None:
    second = "class Second(ReluToAbsPass):\n    name = 'second'\n"
    third = "class Third(ReluToAbsPass):\n    name = 'third'\n"
    made = "A = PassPlugin(Second, 'tensor', after='third')\n"
    made += "B = PassPlugin(Third, 'tensor', before='cse')\nP = PassPlugin(ReluToAbsPass, 'gpu')\n"
    intro = PLUGIN.removesuffix("P = PassPlugin")
    install(
        "second = both:A\nthird = both:B\nrelu-to-abs = both:P",
        intro + second + third + made,
        "both",
    )
    found = {stage.name: stage.passes for stage in plugins.stages()}
    place = found["tensor"].index("cse")
    assert found["tensor"][place - 2 : place] == ("third", "second")
    assert found["gpu"][-1] == "relu-to-abs"


@pytest.mark.parametrize(
    ("point", "source", "message"),
    [
        ("x = bad:P", "raise OSError('no licence')", "OSError: no licence"),
        ("x = bad:P", "P = 7", "'bad:P' is a int; give a devproc.plugins.PassPlugin"),
        ("x = bad:Q", "P = 7", "AttributeError"),
        ("x = bad:P", f"{PLUGIN}(int, 'tensor')", "not a subclass of xdsl.passes.Mod"),
        (
            "x = bad:P",
            f"{PLUGIN}(ReluToAbsPass, 'tensor')",
            "has the name 'relu-to-abs'",
        ),
        (
            "cse = bad:P",
            f"{INTRO}class C(ReluToAbsPass):\n    name = 'cse'\n"
            + PLUGIN
            + "(C, 'tensor')",
            "the name is that of a pass of DevProc or xDSL",
        ),
        (
            "relu-to-abs = bad:P",
            f"{PLUGIN}(ReluToAbsPass, 'tensr')",
            "no stage named 'tensr'.*did you mean 'tensor'",
        ),
        (
            "relu-to-abs = bad:P",
            f"{PLUGIN}(ReluToAbsPass, 'placed', after='place_ops')",
            "no pass named 'place_ops' in the stage 'placed'.*did you mean 'place-ops'",
        ),
        (
            "relu-to-abs = bad:P",
            f"{PLUGIN}(ReluToAbsPass, 'tensor', after='cse', before='dce')",
            "both `after` and `before`",
        ),
    ],
)
def test_refusals(install: Install, point: str, source: str, message: str) -> None:
    install(point, source, "bad")
    with pytest.raises(RegistrationError, match=message) as error:
        plugins.stages()
    name = point.partition(" ")[0]
    assert f"the pass '{name}' of the package 'bad 1.2'" in str(error.value)
    with pytest.raises(RegistrationError):
        devproc.compile(exported(), cache=False)
    assert "the package 'bad 1.2'" in run_devproc_opt(["--list-stages"]).stderr


def test_two_packages_with_one_name(install: Install) -> None:
    install("relu-to-abs = relu_lab:RELU_TO_ABS")
    install("relu-to-abs = other:RELU_TO_ABS", PACKAGE.read_text(), "other")
    with pytest.raises(
        RegistrationError, match=r"the packages other 1\.2 and relu_lab 1.2"
    ):
        plugins.stages()
