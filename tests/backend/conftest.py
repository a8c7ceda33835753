"""Installs devices for one test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a package with a device on the path, as `pip install` would."""

    def make(
        device: str = "numpy", place: str = "tests.backend.numpy_device:NumPy"
    ) -> Path:
        folder = tmp_path / f"site_{device}"
        info = folder / f"{device}_device-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {device}-device\nVersion: 1.2\n")
        points = f"[devproc.targets]\n{device} = {place}\n"
        (info / "entry_points.txt").write_text(points)
        monkeypatch.syspath_prepend(str(folder))
        return folder

    return make
