"""The generated documents say what the code says."""

from __future__ import annotations

import pytest

from devproc.tools.generate_docs import DOCUMENTS, stale


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_is_current(name: str) -> None:
    assert not stale(name), f"{name} is out of date: run `make docs`"
