"""Python's collection of garbage, while ops are made by the thousand."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

MOST_LEFT = 1_000_000
"""Objects that a process may leave to the next full collection."""

_left = [0]
_paused: set[int] = set()
"""The threads that have turned collection off, to turn it on again."""


@contextmanager
def paused_garbage_collection() -> Generator[None]:
    """No collection of cycles inside, nor right behind.

    One full collection walks all that PyTorch's import left, 0.3 s of a compilation.
    Looking through the ops that it made takes 0.2 s more and gives the system no memory
    back: the first compilations of a process leave them to Python's next full collection.
    """
    enabled, thread = gc.isenabled(), threading.get_ident()
    if enabled:
        _paused.add(thread)
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _leave_to_full_collection()
            gc.enable()
            _paused.discard(thread)


def _leave_to_full_collection() -> None:
    """Make all objects old ones, where they are few enough."""
    _left[0] += gc.get_count()[0]
    # What the user has frozen has to stay so.
    if _left[0] <= MOST_LEFT and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def _resume_for_other_threads() -> None:
    """In a forked child, which has only the thread that forked."""
    if not _paused:
        return
    _paused.intersection_update({threading.get_ident()})
    if not _paused:
        gc.enable()


os.register_at_fork(after_in_child=_resume_for_other_threads)
