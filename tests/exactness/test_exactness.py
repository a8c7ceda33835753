"""Every row of the tables holds, and `docs/exactness.md` says what they say."""

from __future__ import annotations

import pytest

from devproc.exactness.bound import Key
from devproc.exactness.steps.tables import BOUNDS
from tests.exactness.checks import CHECKS
from tests.exactness.page import PAGE, promises, rows_of
from tests.repository import ROOT


def test_each_bound_has_a_check() -> None:
    assert set(CHECKS) == set(BOUNDS)


@pytest.mark.parametrize("key", CHECKS, ids=lambda key: "-".join(filter(None, key)))
def test_bound_holds(key: Key) -> None:
    bound, measured = BOUNDS[key], CHECKS[key]()
    assert measured.inputs > 0
    assert measured.distance(bound.measure) <= bound.limit, measured


def test_page_says_what_the_tables_promise() -> None:
    """`python -m tests.exactness` writes the page, with what it measured."""
    assert rows_of((ROOT / PAGE).read_text()) == promises()
