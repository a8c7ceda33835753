"""DevProc's wheel in a fresh environment, built once for all tests that need it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock


@dataclass(frozen=True)
class InstalledWheel:
    """A wheel, and the Python of an environment where it is installed."""

    wheel: Path
    python: Path


def pip_install(python: Path, *arguments: str | Path) -> None:
    """Installs packages in the environment of a Python, which need not have pip."""
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*pip, *arguments], check=True)


def installed_wheel(folder: Path) -> InstalledWheel:
    """The wheel and its environment in a folder, where both are made if they are not.

    Of our dependencies the environment has those of this Python.
    """
    # Not at module level: the importer is conftest.py, and the builder imports marimo.
    from notebooks.browser import build

    python = folder / "venv" / "bin" / "python"
    with FileLock(folder / "lock"):
        if not (folder / "done").exists():
            venv = [sys.executable, "-m", "venv", "--without-pip", folder / "venv"]
            subprocess.run(venv, check=True)
            (site,) = folder.glob("venv/lib/python*/site-packages")
            # That DevProc itself is installed there as editable does not count.
            (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
            wheel = build.devproc_wheel(folder)
            pip_install(python, "--no-deps", "--no-index", wheel)
            (folder / "done").touch()
    (wheel,) = folder.glob("devproc-*.whl")
    return InstalledWheel(wheel, python)


@pytest.fixture(scope="session")
def devproc_wheel(tmp_path_factory: pytest.TempPathFactory) -> InstalledWheel:
    """The wheel in a fresh environment, which the workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheel"
    folder.mkdir(exist_ok=True)
    return installed_wheel(folder)
