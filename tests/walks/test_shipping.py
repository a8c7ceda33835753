"""Shipping a model: the wheel, the quickstart, a bundle and its check, and the saved program
elsewhere, with the compiler and without.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.test_blocks import FENCE, SHIP, photo
from tests.installed_wheel import InstalledWheel
from tests.runtime.test_runtime_package import python as python
from tests.runtime.test_runtime_package import wheel as wheel

BUNDLE = """
print(devproc.__file__)
program.export_bundle("out", threads="none", reference=pipe)
np.savez("found.npz", photo=photo, **out)
"""
CHECK = """
import sys
from devproc.tools.devproc import run
sys.argv = ["devproc", "bundle-check", "out"]
run()
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
LOAD_WITHOUT_COMPILER = """
import sys
import numpy as np
import devproc_runtime
found = np.load("found.npz")
out = devproc_runtime.load("classify.devproc")(image=found["photo"])
for name in ("classes", "scores"):
    np.testing.assert_array_equal(out[name], found[name])
assert "devproc" not in sys.modules
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_walk(devproc_wheel: InstalledWheel, python: Path, tmp_path: Path) -> None:
    photo().save(tmp_path / "photo.jpg")

    def run(*arguments: str, by: Path = devproc_wheel.python) -> str:
        # Isolated: no variable or folder shows it the repository, nor a cache.
        done = subprocess.run(
            [by, "-I", *arguments],
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
    checked = run("-c", CHECK)
    assert "golden cases: all pass" in checked
    assert "kernels: all pass" in checked
    run("-c", LOAD)
    run("-c", LOAD_WITHOUT_COMPILER, by=python)
