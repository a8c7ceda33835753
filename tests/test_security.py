"""SECURITY.md says what is so: its names exist, its examples run, its promises hold."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import devproc
from devproc import settings
from devproc.runtime.bundles import bundle
from tests.fuzz.files import exported, image_pipeline
from tests.repository import ROOT

PAGE = (ROOT / "SECURITY.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

WATCH = """
import sys
import devproc

good, weights, bad = sys.argv[1:]
ACTIONS = (
    "pickle.", "import", "exec", "compile", "ctypes.", "subprocess.", "os.system",
    "os.exec", "os.spawn", "os.posix_spawn", "marshal.", "socket.",
)
seen = []

def load(path):
    try:
        devproc.load_json(path, weights)
    except devproc.BundleError as error:
        print(type(error).__name__)

load(good), load(bad)  # what the readers need is imported now
watching = True

def watch(event, arguments):
    if watching and event.startswith(ACTIONS):
        seen.append((event, arguments))

sys.addaudithook(watch)
load(good), load(bad)
watching = False
print(seen)
"""


def test_names_on_the_page_exist() -> None:
    for path in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE):
        assert (ROOT / path).is_file(), path
    names = re.findall(r"`devproc\.(\w+)", PAGE)
    assert {"load", "load_json", "register_op"} <= set(names)
    assert all(hasattr(devproc, name) for name in names)
    known = {setting.name for setting in settings.SETTINGS}
    assert {*re.findall(r"DEVPROC_[A-Z_]+[A-Z]", PAGE)} <= known
    assert "SECURITY.md" in (ROOT / "README.md").read_text()


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {
        "devproc": devproc,
        "secrets": secrets,
        "exported": exported(),
    }
    for example in EXAMPLES:
        exec(compile(example, "SECURITY.md", "exec"), names)
    x, more = torch.randn(3, 7), {"scale": torch.ones(5)}
    loaded, there = names["program"], devproc.compile(exported())
    torch.testing.assert_close(loaded(x, more), there(x, more), rtol=0, atol=0)


def test_json_is_data(tmp_path: Path) -> None:
    """Reading it imports, unpickles, compiles and starts nothing, good or bad."""
    good, weights = tmp_path / "good.json", tmp_path / "good.safetensors"
    devproc.export_json(exported(), good, weights=weights)
    bad = tmp_path / "bad.json"
    bad.write_text(good.read_text().replace("builtins.tuple", "os.system"))
    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(good), str(weights), str(bad)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.splitlines() == ["BundleError", "BundleError", "[]"]


def test_a_wrong_signature_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, key = tmp_path / "program.devproc", secrets.token_bytes(32)
    devproc.compile(image_pipeline()).save(path, key=key)

    def read_nothing(*_: object) -> None:
        raise AssertionError("the program was read")

    devproc.load(path, key=key)
    monkeypatch.setattr(bundle, "read_artifact", read_nothing)
    with pytest.raises(devproc.BundleError, match="signed with another key"):
        devproc.load(path, key=key[::-1])
