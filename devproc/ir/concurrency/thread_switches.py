"""The interval after which a thread releases the GIL to a waiting thread."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

from devproc.ir.concurrency.locks import ForkSafeLock

SECONDS = 0.0002

_lock = ForkSafeLock()
_inside: list[tuple[int, float]] = []
"""The thread of each active caller, and the interval to restore: the first one's."""


@contextmanager
def frequent_thread_switches() -> Generator[None]:
    """Lets a waiting thread have the GIL after 0.2 ms instead of 5 ms.

    LLVM's thread calls the library a dozen times for each kernel and needs the GIL in
    between: with 5 ms each it waited longer than it worked.
    """
    with _lock.held:
        before = _inside[0][1] if _inside else sys.getswitchinterval()
        mine = (threading.get_ident(), before)
        _inside.append(mine)
        sys.setswitchinterval(min(SECONDS, before))
    try:
        yield
    finally:
        with _lock.held:
            _inside.remove(mine)
            if not _inside:
                sys.setswitchinterval(before)


def _forget_other_threads() -> None:
    """In a forked child, which has only the thread that forked."""
    if not _inside:
        return
    before = _inside[0][1]
    _inside[:] = [row for row in _inside if row[0] == threading.get_ident()]
    if not _inside:
        sys.setswitchinterval(before)


os.register_at_fork(after_in_child=_forget_other_threads)
