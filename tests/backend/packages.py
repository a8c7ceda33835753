"""Packages with a device, put on the path as `pip install` would."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DEVICE = """
from devproc.backend import Backend, Description, Link, Memory, Stage

class Device(Backend):
    def describe(self, target):
        return Description((Memory("main", 1e12),), {"": 1e12}, link=Link(1e-6, 1e10))
"""
"""A device that computes nothing."""


def install_device(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    source: str = DEVICE,
    *,
    package: str | None = None,
    place: str = "Device",
) -> Path:
    """Adds the package `package` (that of the device's name) with one module."""
    package = package or f"{name}_device"
    site = folder / f"site_{package}"
    info = site / f"{package}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {package}\nVersion: 1.2\n")
    points = f"[devproc.targets]\n{name} = {package}:{place}\n"
    (info / "entry_points.txt").write_text(points)
    module = site / f"{package}.py"
    module.write_text(source)
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.syspath_prepend(str(site))
    return module
