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


@pytest.mark.parametrize("use", [IMPORT, LOAD, WARM, KEY])
def test_a_program_of_the_cpu(
    use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a device of another package."""
    site = install_device(tmp_path, monkeypatch, "npu").parent
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{site}")
    exported = torch.export.export(nn.Linear(3, 5), (torch.zeros(2, 3),))
    torch.export.save(exported, model := tmp_path / "net.pt2")
    script = tmp_path / "script.py"
    script.write_text(use + FOUND)
    program = tmp_path / "net.devproc"
    first = tmp_path / "first.py"
    first.write_text("import sys, devproc\ndevproc.compile(sys.argv[2], threads=1)\n")
    devproc.compile(exported, threads=1, cache=False).save(program)
    for file in (first, script):
        done = subprocess.run(
            [sys.executable, file, program, model],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
