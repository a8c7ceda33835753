"""Environments with DevProc for each version of Python: `python -m tests.distribution.pythons`.

They are made in `build/pythons`, with what pip chooses as dependencies, which for PyTorch may
be gigabytes; so `make test` makes none, and tests those that are there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.installed_wheel import pip_install
from tests.repository import ROOT

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def environment(version: str) -> Path:
    """The Python of the environment for a version; it may not exist."""
    return ROOT / "build" / "pythons" / version / "bin" / "python"


def interpreter(version: str) -> str | None:
    """A Python of a version, from the path or from pyenv; None if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    known = sorted(pyenv.glob(f"{version}.*/bin/python"))
    for found in (shutil.which(f"python{version}"), *map(str, known)):
        # pyenv's commands exist for versions that are not active, and fail.
        if (
            found
            and not subprocess.run([found, "-c", ""], capture_output=True).returncode
        ):
            return found
    return None


def main() -> None:
    """Makes what is missing, for the interpreters that this machine has."""
    from notebooks.browser import build

    for version in VERSIONS:
        python = environment(version)
        found = interpreter(version)
        if found is None:
            print(f"{version}: no interpreter")
            continue
        venv = python.parent.parent
        if not python.exists():
            subprocess.run([found, "-m", "venv", "--without-pip", venv], check=True)
        with TemporaryDirectory() as folder:
            pip_install(python, "--no-compile", build.devproc_wheel(Path(folder)))
        print(f"{version}: {venv.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
