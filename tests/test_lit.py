"""The FileCheck files also work under plain lit, as processes (two files only)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent / "filecheck"
LIT = "from lit.main import main; main()"
FILES = ("tools/list-stages.mlir", "tools/diagnostics.mlir")


def test_lit() -> None:
    command = [sys.executable, "-c", LIT, "-v", *(str(ROOT / f) for f in FILES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Passed: {len(FILES)}" in done.stdout
