"""The page about devices shows the NumPy device, all of it and nothing else."""

from __future__ import annotations

import re

from devproc.backend import Backend
from tests.repository import ROOT

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_blocks_are_the_file() -> None:
    page = (ROOT / "docs" / "backends.md").read_text()
    shown = [line for block in FENCE.findall(page) for line in block.splitlines()]
    file = (ROOT / "tests" / "backend" / "numpy_device.py").read_text()
    assert [*filter(None, shown)] == [*filter(None, file.splitlines())]


def test_the_table_names_members() -> None:
    page = (ROOT / "docs" / "backends.md").read_text()
    rows = page.partition("| member | for |")[2].splitlines()[2:]
    names = [
        name
        for row in rows
        for name in re.findall(
            "`(\\w+)`", row.split("|")[1] if row.startswith("|") else ""
        )
    ]
    assert len(names) > 10
    assert not [name for name in names if not hasattr(Backend, name)]
