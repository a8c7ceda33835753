"""Python's collection of garbage, while ops are made by the thousand."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused_garbage_collection() -> Generator[None]:
    """No collection of cycles inside.

    One full collection walks all that PyTorch's import left, 0.3 s of a compilation.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
