"""Locks that deadlock neither after a fork nor in a signal handler.

A forked child has only the thread that forked: a lock held by another thread is never
released there. A signal handler runs in the main thread, between two of its instructions:
it cannot wait for a lock that the interrupted code holds. So every lock of the package is
re-entrant and free in a forked child, and code that must not be re-entered raises an error.
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
    """A re-entrant lock, to be used as `with lock.held`, that is free in a forked child.

    It stays locked only if the forking thread itself holds it. `repair` is called in the
    child to restore the state that a vanished holder left inconsistent. With `delays_fork`
    a fork waits for the holder instead, who must neither log nor import.
    """

    def __init__(
        self, repair: Callable[[], None] | None = None, delays_fork: bool = False
    ) -> None:
        self.held = threading.RLock()
        self._repair = repair
        self.delays_fork = delays_fork
        _locks.add(self)

    def after_fork(self) -> None:
        """Resets the lock in a forked child."""
        if self.held.acquire(blocking=False):
            self.held.release()
            return
        self.held = threading.RLock()
        if self._repair is not None:
            self._repair()


class OneCallAtATime(ForkSafeLock):
    """Serialises the calls of several threads, and refuses nested calls.

    `what` names the resource in the message.
    """

    def __init__(self, what: str, delays_fork: bool = False) -> None:
        super().__init__(delays_fork=delays_fork)
        self._what = what
        self._inside = False

    def run(self, function: Callable[..., R], *args: Any) -> R:
        """Calls `function`; raises BusyError if this thread is in a call already."""
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
        """Resets the lock in a forked child, where no other thread continues its call."""
        before = self.held
        super().after_fork()
        if self.held is not before:
            self._inside = False


def wait_before_fork(lock: threading.RLock) -> None:
    """Delays a fork while another thread holds the lock.

    For libraries whose state a child could not repair. Other libraries' locks may be held
    while a fork waits, so the holder must neither log nor import.
    """

    def release() -> None:
        # Not acquired if this was registered in the middle of a fork.
        with suppress(RuntimeError):
            lock.release()

    os.register_at_fork(
        before=lock.acquire, after_in_parent=release, after_in_child=release
    )


_locks: WeakSet[ForkSafeLock] = WeakSet()
_taken: list[threading.RLock] = []
"""The locks that a fork in progress has waited for."""


def _wait_for_holders() -> None:
    for lock in [lock for lock in _locks if lock.delays_fork]:
        lock.held.acquire()
        _taken.append(lock.held)


def _let_go() -> None:
    while _taken:
        _taken.pop().release()


def _start_afresh() -> None:
    _let_go()
    for lock in list(_locks):
        lock.after_fork()


os.register_at_fork(
    before=_wait_for_holders, after_in_parent=_let_go, after_in_child=_start_afresh
)
