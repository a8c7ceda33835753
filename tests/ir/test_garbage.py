"""What a compilation leaves to Python's collection of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from devproc.ir import garbage
from devproc.ir.garbage import paused_garbage_collection


class Knot:
    """An object that only the collection of cycles can free."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def _nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(garbage, "_left", [0])
    gc.collect()
    yield
    gc.collect()


def knots(generation: int) -> int:
    """The knots of a generation; the oldest is 2."""
    return sum(type(found) is Knot for found in gc.get_objects(generation))


@pytest.mark.usefixtures("_nothing_left")
def test_what_is_made_waits_for_the_full_collection() -> None:
    with paused_garbage_collection():
        assert not gc.isenabled()
        for _ in range(1000):
            Knot()
    assert gc.isenabled()
    assert knots(2) == 1000
    assert not gc.get_freeze_count()
    gc.collect()
    assert knots(2) == 0


@pytest.mark.usefixtures("_nothing_left")
def test_no_more_than_the_limit_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "MOST_LEFT", 10)
    with paused_garbage_collection():
        for _ in range(1000):
            Knot()
    assert knots(2) == 0


@pytest.mark.usefixtures("_nothing_left")
def test_what_the_user_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with paused_garbage_collection():
            Knot()
        # Other threads may let go of a few frozen objects; thawing leaves none, and
        # freezing again would add what this test made.
        assert frozen // 2 < gc.get_freeze_count() <= frozen
        assert knots(2) == 0
    finally:
        gc.unfreeze()


@pytest.mark.usefixtures("_nothing_left")
def test_disabled_stays_disabled() -> None:
    gc.disable()
    try:
        with paused_garbage_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
