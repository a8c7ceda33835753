"""Shipping a model: the wheel, the quickstart, a bundle, and the saved program elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.test_blocks import FENCE, SHIP, photo
from tests.installed_wheel import InstalledWheel

BUNDLE = """
print(devproc.__file__)
program.export_bundle("out", threads="none", reference=pipe)
np.savez("found.npz", **out)
"""
LOAD = """
import sys
import numpy as np
from PIL import Image
import devproc
photo = np.asarray(Image.open("photo.jpg").convert("RGB"))
out, found = devproc.load("classify.devproc")(image=photo), np.load("found.npz")
for name in ("classes", "scores"):
    np.testing.assert_array_equal(out[name], found[name])
assert "torch" not in sys.modules
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_walk(devproc_wheel: InstalledWheel, tmp_path: Path) -> None:
    photo().save(tmp_path / "photo.jpg")

    def run(*arguments: str) -> str:
        # Isolated: no variable or folder shows it the repository, nor a cache.
        done = subprocess.run(
            [devproc_wheel.python, "-I", *arguments],
            cwd=tmp_path, env=os.environ | {"DEVPROC_CACHE_DIR": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    blocks = "\n".join(FENCE.findall((SHIP / "quickstart.md").read_text()))
    place = run("-c", blocks + BUNDLE).splitlines()[-1]
    assert Path(place).is_relative_to(devproc_wheel.python.parent.parent)
    for command in (
        ["cc", "selftest.c", "libclassify.a", "-o", "selftest"],
        ["./selftest"],
    ):
        subprocess.run(command, cwd=tmp_path / "out", check=True)
    run("-c", LOAD)
