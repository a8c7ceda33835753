"""Installs the package for its tests: entry points on the path, as pip writes them."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from tests.seeds import pytest_collectstart as pytest_collectstart
from tests.seeds import pytest_fixture_setup as pytest_fixture_setup
from tests.seeds import pytest_runtest_call as pytest_runtest_call

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the installer writes."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    name, version = project["name"], project["version"]
    folder = tmp_path_factory.mktemp("site")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    points = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(points))
    return folder


@pytest.fixture
def npu(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device, for one test."""
    monkeypatch.syspath_prepend(str(site))
    assert str(site) in sys.path
