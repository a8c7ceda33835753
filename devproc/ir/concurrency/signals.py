"""Signals that wait: their handlers run after a piece of work, never in the middle of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

NEVER_HANDLED = {"SIGKILL", "SIGSTOP"}

_SIGNALS = [s for s in signal.Signals if s.name not in NEVER_HANDLED]


@contextmanager
def signals_deferred() -> Generator[None]:
    """Runs the handlers of signals that arrive meanwhile at the end, Ctrl-C's among them.

    Handlers of Python run in the main thread alone: in others nothing is to be done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {s: found for s in _SIGNALS if callable(found := signal.getsignal(s))}
    for number in handlers:
        signal.signal(number, lambda number, frame: arrived.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)
