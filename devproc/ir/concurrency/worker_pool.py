"""Threads that work alongside the caller."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from devproc.errors import CompileError

R = TypeVar("R")


class WorkerPool(ThreadPoolExecutor):
    """A `ThreadPoolExecutor` with a clear error if no thread can be started."""

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Calls `fn` in a thread; raises CompileError if no thread can be started."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            raise CompileError(
                f"cannot start a thread ({error}): the process is at its limit of memory "
                "or of threads; raise it (ulimit -v, ulimit -u, that of the container)"
            ) from error
