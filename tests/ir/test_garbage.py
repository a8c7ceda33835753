"""What a compilation leaves to Python's collection of garbage.

Each test has a process of its own: in that of the suite a full collection takes seconds,
and these need a dozen.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable
from unittest import mock

import pytest

from devproc.ir import garbage
from devproc.ir.garbage import own_garbage_collected, paused_garbage_collection


class Knot:
    """An object that only the collection of cycles can free."""

    def __init__(self) -> None:
        self.own = self


def knots(generation: int) -> int:
    """The knots of a generation; the oldest is 2."""
    return sum(type(found) is Knot for found in gc.get_objects(generation))


def what_is_made_waits_for_the_full_collection() -> None:
    with paused_garbage_collection():
        assert not gc.isenabled()
        for _ in range(1000):
            Knot()
    assert gc.isenabled()
    assert knots(2) == 1000
    assert not gc.get_freeze_count()
    gc.collect()
    assert knots(2) == 0


def no_more_than_the_limit_waits() -> None:
    with mock.patch.object(garbage, "MOST_LEFT", 10), paused_garbage_collection():
        for _ in range(1000):
            Knot()
    assert knots(2) == 0


def what_the_user_froze_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with paused_garbage_collection():
        Knot()
    # Other threads may let go of a few frozen objects; thawing leaves none, and
    # freezing again would add what this test made.
    assert frozen // 2 < gc.get_freeze_count() <= frozen
    assert knots(2) == 0


def disabled_stays_disabled() -> None:
    gc.disable()
    with paused_garbage_collection():
        pass
    assert not gc.isenabled()


def only_what_is_made_within_is_collected() -> None:
    Knot()
    with own_garbage_collected():
        Knot()
        assert sum(map(knots, range(3))) == 1
    assert sum(map(knots, range(3))) == 1
    assert not gc.get_freeze_count()
    gc.freeze()
    with own_garbage_collected():
        Knot()
    assert gc.get_freeze_count()
    assert sum(map(knots, range(3))) == 0


CHECKS = (
    what_is_made_waits_for_the_full_collection,
    no_more_than_the_limit_waits,
    what_the_user_froze_stays_frozen,
    disabled_stays_disabled,
    only_what_is_made_within_is_collected,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_garbage(check: Callable[[], None]) -> None:
    process = multiprocessing.get_context("spawn").Process(target=check)
    process.start()
    process.join()
    assert process.exitcode == 0
