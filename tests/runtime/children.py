"""Calls in forked children and other threads, and calls that a signal interrupts."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")

SECONDS = 60


def run_in_child(check: Callable[[], object], seconds: int = SECONDS) -> int:
    """Forks, and runs `check` in the child; its exit code, which is 0 for no error.

    A child that takes longer is killed: -14, for SIGALRM.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            check()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


@contextmanager
def inside_in_a_thread(hold: Callable[[Callable[[], None]], Any]) -> Generator[None]:
    """While another thread is in `hold`, which calls its argument to stay inside."""
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        entered.set()
        leave.wait(SECONDS)

    holder = threading.Thread(target=hold, args=(stay,))
    holder.start()
    assert entered.wait(SECONDS)
    try:
        yield
    finally:
        leave.set()
        holder.join()


@contextmanager
def handler(function: Callable[[], object]) -> Generator[Callable[..., None]]:
    """A function that interrupts its caller: it raises a signal that `function` handles."""

    def handle(*_: object) -> None:
        function()

    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGUSR1, before)


def interrupt_after(seconds: float, call: Callable[[], Result]) -> Result | None:
    """`call()`, or None where a KeyboardInterrupt left it.

    One is raised after `seconds`, unless the call is over by then: on a busy machine a signal
    may come at any moment, and one that comes outside the call would end the tests.
    """
    inside = False

    def handle(*_: object) -> None:
        if inside:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    try:
        inside = True
        signal.setitimer(signal.ITIMER_REAL, seconds)
        result = call()
        inside = False
        return result
    except KeyboardInterrupt:
        return None
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
