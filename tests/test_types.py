"""The type checker finds nothing; a test, so that it shares the processors with the others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT


@pytest.mark.slow
def test_types() -> None:
    command = [Path(sys.executable).parent / "basedpyright"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
