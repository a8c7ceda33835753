"""Pausing Python's garbage collector, and limiting it to what was made recently."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

MOST_LEFT = 1_000_000
"""Most objects that a process leaves to the next full collection."""

_left = [0]
_paused: set[int] = set()
"""The threads that have disabled collection and will enable it again."""


@contextmanager
def paused_garbage_collection() -> Generator[None]:
    """Disables the garbage collector within the context, and delays the next collection.

    One full collection walks all objects of PyTorch's import, 0.3 s of a compilation.
    Collecting the ops of a compilation takes 0.2 s more and returns no memory to the system:
    the first compilations of a process leave them to Python's next full collection.
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


@contextmanager
def own_garbage_collected() -> Generator[None]:
    """Collects at the end the garbage that was made within the context, and no other.

    A full collection in a process with many programs takes seconds.
    """
    # Objects frozen by the user must stay frozen.
    freeze = not gc.get_freeze_count()
    if freeze:
        gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        if freeze:
            gc.unfreeze()


def _leave_to_full_collection() -> None:
    """Moves all objects to the oldest generation, unless there are too many."""
    _left[0] += gc.get_count()[0]
    # Objects frozen by the user must stay frozen.
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
