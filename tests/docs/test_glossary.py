"""The glossary: its terms are in order, once each, and defined where it says."""

from __future__ import annotations

import re

import pytest

from devproc.tools.markdown import read_tables
from tests.repository import ROOT

OURS, FIELD = read_tables((ROOT / "docs" / "glossary.md").read_text())


@pytest.mark.parametrize("table", [OURS, FIELD], ids=["ours", "of the field"])
def test_terms_are_in_order(table: list[dict[str, str]]) -> None:
    terms = [re.sub(r"[^\w ()-]", "", row["term"]).lower() for row in table]
    assert terms == sorted(set(terms))


def test_terms_are_defined_where_it_says() -> None:
    for row in OURS:
        places = re.findall(r"`([^`]+)`", row["defined in"])
        assert places, row["term"]
        assert all((ROOT / place).exists() for place in places), row["term"]
