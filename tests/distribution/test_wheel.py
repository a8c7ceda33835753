"""The wheel: its metadata and files, and the README's example where it is installed."""

from __future__ import annotations

import email
import os
import subprocess
import zipfile
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import numpy as np
import pytest

import devproc
from tests.distribution.pythons import VERSIONS, environment
from tests.installed_wheel import InstalledWheel, pip_install
from tests.repository import PACKAGE, ROOT, repository_files
from tests.test_readme import check, example

SAVE = "\nnp.savez('out.npz', **out)\nprint(devproc.__file__)\n"


def test_files_of_the_wheel(devproc_wheel: InstalledWheel) -> None:
    """Those of the package in the repository, and the license."""
    with zipfile.ZipFile(devproc_wheel.wheel) as wheel:
        files = set(wheel.namelist())
        (place,) = (n for n in files if n.endswith(".dist-info/licenses/LICENSE"))
        assert wheel.read(place) == (ROOT / "LICENSE").read_bytes()
    kept = {p.relative_to(ROOT) for p in repository_files() if PACKAGE in p.parents}
    found = {Path(name) for name in files if ".dist-info/" not in name}
    assert found == kept


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_metadata_of_the_wheel(devproc_wheel: InstalledWheel) -> None:
    head = metadata(devproc_wheel.wheel)
    assert head["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    assert head["License-File"] == "LICENSE"
    assert head["Version"] == devproc.__version__
    assert f"version: {devproc.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert head["Author"] == "DevProc contributors"
    assert head["Requires-Python"] == ">=3.11"
    required: Sequence[str] = head.get_all("Requires-Dist") or []
    always = [r for r in required if "extra ==" not in r]
    assert not [r for r in always if "triton" in r], "not all systems have Triton"


def run_example(python: Path, folder: Path) -> Path:
    """Runs the README's example and checks its outputs; returns the place of DevProc."""
    script = folder / "example.py"
    script.write_text(example() + SAVE)
    # Isolated: no variable or folder shows it the repository, nor what was compiled there.
    done = subprocess.run(
        [python, "-I", script],
        cwd=folder, env=os.environ | {"DEVPROC_CACHE_DIR": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    check(**np.load(folder / "out.npz"))
    return Path(done.stdout.splitlines()[-1])


def test_example_in_a_fresh_environment(
    devproc_wheel: InstalledWheel, tmp_path: Path
) -> None:
    place = run_example(devproc_wheel.python, tmp_path)
    assert place.is_relative_to(devproc_wheel.python.parent.parent)


@pytest.mark.parametrize("version", VERSIONS)
def test_example_on_each_python(
    version: str, devproc_wheel: InstalledWheel, tmp_path: Path
) -> None:
    """With the dependencies that pip chooses, and without extras."""
    python = environment(version)
    if not python.exists():
        pytest.skip(
            f"no environment; `make pythons` makes one if Python {version} is here"
        )
    pip_install(python, "--no-deps", "--force-reinstall", devproc_wheel.wheel)
    place = run_example(python, tmp_path)
    assert place.is_relative_to(python.parent.parent)
