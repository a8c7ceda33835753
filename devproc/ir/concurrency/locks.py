"""Locks that neither a fork nor a signal handler turns into a wait without an end.

A forked child has one thread, the one that forked: a lock that another thread held is
never released there. A signal handler runs in the main thread, between two instructions
of what it interrupts: it cannot wait for a lock which that holds. So every lock of the
package is re-entrant and starts afresh in a forked child, and what must not be entered
twice says so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakSet

from devproc.errors import BusyError

R = TypeVar("R")


class ForkSafeLock:
    """A re-entrant lock, `held` inside a `with`, that is free in a forked child.

    Only where the forking thread itself holds it does it stay as it is. `repair` puts
    right, in the child, what a holder that is gone has left unfinished.
    """

    def __init__(self, repair: Callable[[], None] | None = None) -> None:
        self.held = threading.RLock()
        self._repair = repair
        _locks.add(self)

    def after_fork(self) -> None:
        """Start afresh in a forked child."""
        if self.held.acquire(blocking=False):
            self.held.release()
            return
        self.held = threading.RLock()
        if self._repair is not None:
            self._repair()


class OneCallAtATime(ForkSafeLock):
    """Lets other threads wait, and refuses a call from inside of a call.

    `what` names it in the message.
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self._inside = False

    def run(self, function: Callable[..., R], *args: Any) -> R:
        """Calls `function`; raises BusyError where this thread is inside already."""
        with self.held:
            if self._inside:
                raise BusyError(
                    f"{self._what} is in use by this very thread: a signal handler, or a "
                    "function that the program calls, may not use it as well. Note the "
                    "event in the handler and act on it after the call, or give the "
                    "handler a program of its own (devproc.load)"
                )
            self._inside = True
            try:
                return function(*args)
            finally:
                self._inside = False

    @property
    def is_inside(self) -> bool:
        """Whether the thread that holds the lock is in a call."""
        return self._inside

    def after_fork(self) -> None:
        """Start afresh in a forked child; no call of another thread goes on there."""
        before = self.held
        super().after_fork()
        if self.held is not before:
            self._inside = False


def wait_before_fork(lock: threading.RLock) -> None:
    """Let no fork happen while another thread is inside.

    For libraries whose state a child could not put right. Other libraries' locks may be
    held while a fork waits, so the holder must neither log nor import.
    """

    def release() -> None:
        # Where this was registered in the middle of a fork, there is nothing to release.
        with suppress(RuntimeError):
            lock.release()

    os.register_at_fork(
        before=lock.acquire, after_in_parent=release, after_in_child=release
    )


_locks: WeakSet[ForkSafeLock] = WeakSet()


def _start_afresh() -> None:
    for lock in list(_locks):
        lock.after_fork()


os.register_at_fork(after_in_child=_start_afresh)
