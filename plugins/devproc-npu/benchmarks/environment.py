"""Environments of their own for the tools that the NPU is compared with."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SCALESIM = ("scalesim==3.0.0", "numpy==2.3.5", "pandas==3.1.1", "numba==0.68.1")
"""ScaleSim 3.0.0 fails on numpy 2.4."""
VELA = ("ethos-u-vela==5.2.0", "tosa-tools==2026.8.0", "numpy==2.1.3")
"""Vela reads the files that `tosa-opt` of the TOSA tools writes."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with exactly these packages and what they require."""

    folder: Path

    def run(
        self, program: str, *arguments: str | Path, cwd: Path, text: str | None = None
    ) -> str:
        """The output of a program of the environment.

        Raises RuntimeError, with what it wrote, where it fails.
        """
        command = [str(self.folder / "bin" / program), *map(str, arguments)]
        # Modules of this folder must not hide those of the environment.
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(
            command, cwd=cwd, env=clean, text=True, input=text, capture_output=True
        )
        if done.returncode:
            raise RuntimeError(f"{command}:\n{done.stdout}\n{done.stderr}")
        return done.stdout


def made(folder: Path, packages: Sequence[str]) -> Environment:
    """The environment in a folder, made anew unless it has these packages."""
    pinned = folder / "packages.txt"
    wanted = "\n".join(packages)
    if not pinned.exists() or pinned.read_text() != wanted:
        print(f"installing {', '.join(packages)} in {folder}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *packages], check=True)
        pinned.write_text(wanted)
    return Environment(folder)


def arguments(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser that knows the folder of the environment."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--environment",
        type=Path,
        default=cache / "devproc-npu" / name,
        help="folder of the virtual environment (default: %(default)s)",
    )
    return parser
