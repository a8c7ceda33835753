"""Python's collection of garbage, while ops are made by the thousand."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

MOST_LEFT = 1_000_000
"""Objects that a process may leave to the next full collection."""

_left = [0]


@contextmanager
def paused_garbage_collection() -> Generator[None]:
    """No collection of cycles inside, nor right behind.

    One full collection walks all that PyTorch's import left, 0.3 s of a compilation.
    Looking through the ops that it made takes 0.2 s more and gives the system no memory
    back: the first compilations of a process leave them to Python's next full collection.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _leave_to_full_collection()
            gc.enable()


def _leave_to_full_collection() -> None:
    """Make all objects old ones, where they are few enough."""
    _left[0] += gc.get_count()[0]
    # What the user has frozen has to stay so.
    if _left[0] <= MOST_LEFT and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
