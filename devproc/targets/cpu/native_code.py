"""The loaded object code of a program: its segments as callable functions."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence

from devproc.errors import CompileError
from devproc.runtime.execution.native_executor import Note
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
        self._arguments = (files, threads, pool_code, accesses)
        self._threads = threads
        self._pool = None
        self._violations = Violations(accesses) if accesses else None
        symbols = self._violations.symbols if self._violations else {}
        if uses_thread_pool(files):
            from devproc.targets.cpu.thread_pool import thread_pool

            self._pool = thread_pool(pool_code)
            symbols |= self._pool.symbols
        self._library = self._link(files, symbols)

    def _link(
        self, files: Sequence[bytes], symbols: Mapping[str, int]
    ) -> NativeLibrary:
        return NativeLibrary(files, symbols)

    def _function(self, symbol: str) -> Callable[[int], None]:
        return self._library.function(f"{symbol}_entry")

    def watched(self, operands: Mapping[str, int], note: Note) -> WatchedCode:
        """The same code, loaded again, which notes the time of each kernel it calls."""
        return WatchedCode(self._arguments, operands, note)

    def entry(self, symbol: str) -> Callable[[int], None]:
        """The entry of a segment, to be called with the address of its pointer table."""
        function = self._function(symbol)
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
        function = self._function(symbol)

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


class WatchedCode(SegmentCode):
    """Segments whose calls of kernels go through Python, which notes their times.

    The last object file has the segments, each other one a kernel.
    """

    def __init__(
        self,
        arguments: tuple[Sequence[bytes], int, bytes | None, Sequence[CheckedAccess]],
        operands: Mapping[str, int],
        note: Note,
    ):
        self._operands, self._note = operands, note
        self._noted = 0
        super().__init__(*arguments)

    def _link(
        self, files: Sequence[bytes], symbols: Mapping[str, int]
    ) -> NativeLibrary:
        *kernels, segments = files
        self._kernels = NativeLibrary(kernels, symbols)
        self._watchers: list[object] = []
        found = {name: self._watch(name) for name in self._operands}
        watched = {name: address for name, address in found.items() if address}
        return NativeLibrary([segments], {**symbols, **watched})

    def _watch(self, name: str) -> int:
        """The address of a function that calls a kernel; 0 if no file exports it."""
        try:
            address = self._kernels.address(name)
        except CompileError:
            # Code with `check_bounds` is one file.
            return 0
        type_ = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * self._operands[name])
        kernel = type_(address)

        def run(*operands: int) -> None:
            begin = time.perf_counter()
            kernel(*operands)
            self._note(name, begin, time.perf_counter())
            self._noted += 1

        self._watchers.append(watcher := type_(run))
        return ctypes.cast(watcher, ctypes.c_void_p).value or 0

    def _function(self, symbol: str) -> Callable[[int], None]:
        """The segment; its own time is noted if that of no kernel is."""
        function = super()._function(symbol)

        def run(table: int) -> None:
            noted, begin = self._noted, time.perf_counter()
            function(table)
            if self._noted == noted:
                self._note(symbol, begin, time.perf_counter())

        return run


def uses_thread_pool(files: Sequence[bytes]) -> bool:
    """Whether the code has parallel loops."""
    return any(PARALLEL_FOR.encode() in code for code in files)
