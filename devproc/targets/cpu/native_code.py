"""The loaded object code of a program: its segments as callable functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devproc.targets.cpu.native_library import PARALLEL_FOR, NativeLibrary
from devproc.targets.cpu.violations import CheckedAccess, Violations


class SegmentCode:
    """The loaded segments of a program, whose parallel loops use `threads` threads.

    `pool_code` is the object code of the thread pool, if known. `accesses` are those that
    the code checks: its entries raise BoundsError.
    """

    def __init__(
        self,
        files: Sequence[bytes],
        threads: int = 1,
        pool_code: bytes | None = None,
        accesses: Sequence[CheckedAccess] = (),
    ):
        self._threads = threads
        self._pool = None
        self._violations = Violations(accesses) if accesses else None
        symbols = self._violations.symbols if self._violations else {}
        if uses_thread_pool(files):
            from devproc.targets.cpu.thread_pool import thread_pool

            self._pool = thread_pool(pool_code)
            symbols |= self._pool.symbols
        self._library = NativeLibrary(files, symbols)

    def entry(self, symbol: str) -> Callable[[int], None]:
        """The entry of a segment, to be called with the address of its pointer table."""
        function = self._library.function(f"{symbol}_entry")
        if self._violations is not None:
            function = self._violations.watch(function)
        if self._pool is None:
            return function

        def run(table: int) -> None:
            self._use_threads()
            function(table)

        return run

    def recording_entry(self, symbol: str) -> Callable[[int, list[None]], None]:
        """The same, which appends to a list when the segment has returned."""
        function = self._library.function(f"{symbol}_entry")

        def run(table: int, finished: list[None]) -> None:
            self._use_threads()
            # One call for Python: no signal handler runs before it is recorded.
            finished.extend(map(function, (table,)))

        return run

    def _use_threads(self) -> None:
        # Programs with different thread counts share the pool.
        pool = self._pool
        if pool is not None and pool.num_threads != self._threads:
            pool.set_num_threads(self._threads)


def uses_thread_pool(files: Sequence[bytes]) -> bool:
    """Whether the code has parallel loops."""
    return any(PARALLEL_FOR.encode() in code for code in files)
