"""The smallest device, end to end: PyTorch's results, saved programs, reports, pip."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import nn
from torch.export import export

import devproc
from devproc.backend import Description, Memory, installed
from devproc.dialects.dev import TargetAttr
from devproc.errors import BundleError, CompileError
from devproc.ir.entry_points import TARGETS, digest_of_packages
from devproc.tools.devproc import main
from tests.backend.conftest import Install
from tests.backend.numpy_device import NumPy

FILE = Path(__file__).with_name("numpy_device.py")
ON_NUMPY = (
    "linear",
    "matmul",
    "relu",
    "add",
    "transpose",
    "reshape",
    "reduce_sum",
    "exp",
)
PLACEMENT = {"*": "cpu"} | {f"nn.{name}": "numpy" for name in ON_NUMPY}


class Model(nn.Module):
    """Two regions of NumPy around a sine, which it lacks; a state; constants."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(7, 5), nn.Linear(5, 3, bias=False)
        self.register_buffer("total", torch.zeros(5, 3))

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        hidden = torch.sin(torch.relu(self.first(x)))
        y = self.second(hidden) + 0.5
        self.total.add_(y.transpose(1, 2).sum(0).T[:, :3].matmul(y[0, :3] * 0 + 1))
        return y, torch.exp(y), self.total * 2, n + n, x


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 5, 7, generator=generator)
    return x, torch.randint(0, 256, (5, 3), generator=generator, dtype=torch.uint8)


def compile_model(cache: bool = True) -> tuple[devproc.Program, nn.Module]:
    torch.manual_seed(3)
    exported = export(Model().eval(), inputs(0))
    program = devproc.compile(exported, "cpu+numpy", placement=PLACEMENT, cache=cache)
    return program, exported.module()


def check(program: devproc.Program, model: torch.nn.Module) -> None:
    """Calls of both, with their states, on several inputs."""
    with torch.no_grad():
        for seed in range(3):
            for found, wanted in zip(program(*inputs(seed)), model(*inputs(seed))):
                torch.testing.assert_close(found, wanted)


def test_it_has_sixty_lines() -> None:
    lines = map(str.strip, FILE.read_text().splitlines())
    assert sum(bool(line) and not line.startswith("#") for line in lines) <= 60


def test_values(install: Install) -> None:
    install()
    program, model = compile_model()
    steps = [(step.kind, step.device) for step in program.artifact.host.steps]
    assert steps.count(("launch", "numpy")) >= 2
    assert program.artifact.code.keys() == {"cpu", "numpy"}
    assert {"first.weight", "first.bias"} <= {*program.artifact.code_weights["numpy"]}
    check(program, model)


def test_special_values(install: Install) -> None:
    install()
    program, model = compile_model()
    x, n = inputs(0)
    x[0, 0, 0], x[1, 2, 3], x[2, 4, 6] = torch.nan, torch.inf, -torch.inf
    with torch.no_grad():
        for found, wanted in zip(program(x, n), model(x, n)):
            torch.testing.assert_close(found, wanted, equal_nan=True)


def test_it_alone_is_no_target(install: Install) -> None:
    """A program for it alone: all of the ops, with the host program on the CPU."""
    install()
    exported = export(nn.Linear(3, 4).eval(), (torch.zeros(2, 3),))
    program, x = devproc.compile(exported, "numpy"), torch.randn(2, 3)
    torch.testing.assert_close(program(x), exported.module()(x))
    assert "cpu" not in program.artifact.code


def test_empty_tensors(install: Install) -> None:
    install()
    exported = export(
        nn.Sequential(nn.Linear(3, 4), nn.ReLU()).eval(), (torch.zeros(0, 3),)
    )
    program = devproc.compile(exported, "cpu+numpy", placement={"*": "numpy"})
    assert program(torch.zeros(0, 3)).shape == (0, 4)


def test_saved_and_loaded(install: Install, tmp_path: Path) -> None:
    install()
    program, model = compile_model(cache=False)
    program.save(tmp_path / "program.devproc")
    check(devproc.load(tmp_path / "program.devproc"), model)


def test_in_the_cache(install: Install) -> None:
    install()
    check(*compile_model())
    program, model = compile_model()
    check(program, model)
    assert program.timings[0].name == "cache"


def test_texts(install: Install, tmp_path: Path) -> None:
    install()
    program, _ = compile_model()
    assert 'dev.region "numpy"' in program.ir("placed")
    assert "plan.launch @numpy_0" in program.ir("host")
    report = str(program.report())
    assert "numpy" in report
    assert "numpy" in str(program.summary)
    program.trace(tmp_path / "trace.json", *inputs(0))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    lanes = {event["tid"] for event in events if event["ph"] == "X"}
    assert len(lanes) == 2


def test_verified(install: Install) -> None:
    install()
    exported = export(
        nn.Sequential(nn.Linear(7, 5), nn.ReLU()).eval(), (torch.ones(3, 7),)
    )
    found = devproc.verify(exported, "cpu+numpy", placement={"*": "numpy"})
    assert found.passed, found.summary()


def test_legal() -> None:
    from xdsl.utils.test_value import create_ssa_value

    from devproc.dialects.nn.elementary import SinOp
    from devproc.dialects.nn.pointwise import AddOp
    from devproc.ir.types import tensor
    from tests.backend.numpy_device import NumPy

    half = create_ssa_value(tensor("bfloat16", (2, 3)))
    assert NumPy().legal([AddOp.build_op([half, half])]) == ["NumPy has no bfloat16"]
    x = create_ssa_value(tensor("float32", (2, 3)))
    assert NumPy().legal([AddOp.build_op([x, x])]) == []
    assert NumPy().legal([SinOp.build_op([x])]) == ["NumPy has no nn.sin"]


def test_it_disappears(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = installed.device_names(), digest_of_packages(TARGETS)
    folder = install()
    assert installed.device_names() == (*before[0], "numpy")
    assert installed.package("numpy") == "numpy-device 1.2"
    program, _ = compile_model()
    program.save(tmp_path / "program.devproc")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(folder)])
    assert (installed.device_names(), digest_of_packages(TARGETS)) == before
    with pytest.raises(BundleError, match=r"device.*'numpy'"):
        devproc.load(tmp_path / "program.devproc")
    with pytest.raises(CompileError, match="no device 'numpy'"):
        compile_model()


class Aligned(NumPy):
    """A device whose values begin at multiples of 256 bytes."""

    def describe(self, target: TargetAttr) -> Description:
        memory = Memory("dict", 1e10, alignment=256)
        return replace(super().describe(target), memories=(memory,))


def test_alignment(install: Install) -> None:
    install("aligned", "tests.backend.test_numpy_device:Aligned")
    placement = {p: d.replace("numpy", "aligned") for p, d in PLACEMENT.items()}
    exported = export(Model().eval(), inputs(0))
    program = devproc.compile(exported, "cpu+aligned", placement=placement)
    slots = [s for s in program.artifact.host.slots if s.kind == "buffer"]
    offsets = [slot.offset for slot in slots if slot.device == "aligned"]
    assert len(set(offsets)) > 1
    assert not any(offset % 256 for offset in offsets)
    check(program, exported.module())


def test_listings(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "numpy" not in CliRunner().invoke(main, ["targets"]).output
    folder = install()
    shown = CliRunner().invoke(main, ["targets"]).output
    assert "numpy (numpy-device 1.2)" in shown
    assert "the example of docs/backends.md" in shown
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(folder)])
    assert "numpy" not in CliRunner().invoke(main, ["targets"]).output


def test_a_wrong_option(install: Install) -> None:
    install()
    with pytest.raises(CompileError, match="'numpy' has no option 'fast'"):
        devproc.compile(export(nn.ReLU(), (torch.ones(2),)), "cpu+numpy:fast")


PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "numpy-device"
version = "3.4"
[project.entry-points."devproc.targets"]
numpy = "numpy_device:NumPy"
[tool.setuptools]
py-modules = ["numpy_device"]
"""

SCRIPT = """
import torch, devproc
exported = torch.export.export(torch.nn.Linear(7, 5).eval(), (torch.ones(3, 7),))
program, x = devproc.compile(exported, "cpu+numpy", placement={"*": "numpy"}), torch.randn(3, 7)
torch.testing.assert_close(program(x), exported.module()(x))
print(devproc.backend.installed.package("numpy"), [*program.artifact.code])
"""


def test_installed_by_pip(tmp_path: Path) -> None:
    project, site = tmp_path / "project", tmp_path / "site"
    project.mkdir()
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "numpy_device.py").write_text(FILE.read_text())
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", site, project], check=True
    )
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), root])}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "numpy-device 3.4 ['numpy']", run.stderr
