"""What needs no compiler imports none, nor the devices that a program does not use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

import devproc
from tests.backend.packages import install_device
from tests.repository import ROOT

FOUND = """
heavy = ("xdsl", "llvmlite", "triton", "devproc.compiler", "devproc.stages")
print([name for name in heavy if name in sys.modules])
"""
NO_OTHER_DEVICE = """
others = ("npu_device", "devproc.targets.triton.backend", "devproc.targets.host.backend")
assert not [name for name in others if name in sys.modules]
"""
IMPORT = f"import sys, devproc\nassert 'torch' not in sys.modules\n{NO_OTHER_DEVICE}"
LOAD = f"{IMPORT}devproc.load(sys.argv[1])\nassert 'torch' not in sys.modules\n{NO_OTHER_DEVICE}"
WARM = (
    "import sys, devproc\nprogram = devproc.compile(sys.argv[2], threads=1)\n"
    "assert [record.name for record in program.timings] == ['cache', 'load']\n"
)
KEY = (
    "import sys, devproc\nfrom devproc.backend import installed\n"
    "assert 'npu' in installed.device_names()\n" + NO_OTHER_DEVICE
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A saved program and its model; a process has compiled the model into the cache."""
    folder = tmp_path_factory.mktemp("light")
    with pytest.MonkeyPatch.context() as patch:
        install_device(folder, patch, "npu")
        exported = torch.export.export(nn.Linear(3, 5), (torch.zeros(2, 3),))
        torch.export.save(exported, model := folder / "net.pt2")
        program = folder / "net.devproc"
        devproc.compile(exported, threads=1, cache=False).save(program)
    run("import sys, devproc\ndevproc.compile(sys.argv[2], threads=1)", program, model)
    return program, model


def run(source: str, program: Path, model: Path) -> str:
    """What a process writes that has the device of `files` and a cache of its own."""
    folder = program.parent
    (script := folder / "script.py").write_text(source)
    path = f"{ROOT}{os.pathsep}{folder / 'site_npu_device'}"
    done = subprocess.run(
        [sys.executable, script, program, model],
        cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"DEVPROC_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("use", [IMPORT, LOAD, WARM, KEY])
def test_a_program_of_the_cpu(use: str, files: tuple[Path, Path]) -> None:
    """Beside a device of another package."""
    assert run(use + FOUND, *files).splitlines()[-1] == "[]"
