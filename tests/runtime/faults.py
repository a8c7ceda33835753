"""The n-th call of the system fails, or the process is killed there, for files of a folder."""

from __future__ import annotations

import builtins
import errno
import io
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias
from unittest import mock

import numpy as np

import devproc

PACKAGE = str(Path(devproc.__file__).parent)

Place: TypeAlias = tuple[str, str, int]
"""A function that is called, and the file and line of the package that calls it."""

ALLOCATING = frozenset(
    "empty zeros ones full arange array ascontiguousarray concatenate stack cat tensor "
    "from_numpy pad tobytes clone contiguous numpy read write writestr encode join "
    "getvalue dumps loads submit from_buffer parse_assembly create_target_machine "
    "emit_object treespec_dumps treespec_loads run_decompositions tree_unflatten "
    "tree_flatten_with_path make_fx mkstemp".split()
)
"""Functions and methods that take memory for what they give; also `mmap.mmap`."""

CALLS = (
    *("open", "mkdir", "replace", "unlink", "stat", "utime", "fdopen"),
    *("write", "ftruncate", "lseek", "fstat"),
)
"""Functions of `os` that the cache and saved programs use."""


class Faults:
    """Counts what happens in a folder; the `last` call ends in `act`."""

    def __init__(self, folder: Path, last: int, act: Callable[[], None]) -> None:
        self.folder, self.last, self.act = str(folder), last, act
        self.count = 0
        self.seen: list[str] = []

    def call(self, name: str, target: object) -> None:
        """One call on a path or an open file."""
        if isinstance(target, int):
            with suppress(OSError):
                target = os.readlink(f"/proc/self/fd/{target}")
        if not str(target).startswith(self.folder):
            return
        self.hit(name)

    def hit(self, name: str) -> None:
        """One call that counts."""
        self.count += 1
        self.seen.append(name)
        if self.count == self.last:
            self.act()


class _File(io.FileIO):
    """A file whose calls of the system count."""

    faults: Faults

    def write(self, data: Any) -> int:
        self.faults.call("write", self.fileno())
        return super().write(data)

    def readinto(self, buffer: Any) -> Any:
        self.faults.call("read", self.fileno())
        return super().readinto(buffer)


def _opener(faults: Faults, original: Callable[..., Any]) -> Callable[..., Any]:
    def opened(
        file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any
    ) -> Any:
        faults.call("open", file if isinstance(file, int) else os.fspath(file))
        if "b" not in mode:
            return original(file, mode, buffering, *rest, **more)
        raw = _File(file, mode.replace("b", ""))
        raw.faults = faults
        if not buffering:
            return raw
        if "+" in mode:
            return io.BufferedRandom(raw)
        return (io.BufferedReader if mode == "rb" else io.BufferedWriter)(raw)

    return opened


def _disk_full() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _no_memory() -> None:
    raise MemoryError("no memory")


def kill() -> None:
    """The end, without any clean-up."""
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def files(
    folder: Path, last: int, act: Callable[[], None] = _disk_full
) -> Generator[Faults]:
    """Inside, the `last` call that concerns the folder ends in `act`; -1 for none."""
    faults = Faults(folder, last, act)

    def counted(name: str) -> Any:
        original = getattr(os, name)

        def call(target: Any, *args: Any, **kwargs: Any) -> Any:
            faults.call(name, target if isinstance(target, int) else os.fspath(target))
            return original(target, *args, **kwargs)

        return call

    with mock.patch.multiple(os, **{name: counted(name) for name in CALLS}):
        opened = _opener(faults, io.open)
        with (
            mock.patch.object(io, "open", opened),
            mock.patch.object(builtins, "open", opened),
            mock.patch.object(os, "fdopen", opened),
            mapped(faults),
        ):
            yield faults


@contextmanager
def mapped(faults: Faults) -> Generator[None]:
    """Maps of files count, too."""
    original = np.memmap

    def memmap(file: Any, *args: Any, **kwargs: Any) -> Any:
        faults.call("mmap", file.fileno() if hasattr(file, "fileno") else file)
        return original(file, *args, **kwargs)

    with mock.patch.object(np, "memmap", memmap):
        yield


@contextmanager
def memory(last: int) -> Generator[Faults]:
    """Inside, the `last` of NumPy's allocations and of the maps without a file fails."""
    faults = Faults(Path("/"), last, _no_memory)

    def counted(original: Any, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            faults.hit(name)
            return original(*args, **kwargs)

        return call

    with (
        mock.patch.object(np, "empty", counted(np.empty, "empty")),
        mock.patch.object(np, "zeros", counted(np.zeros, "zeros")),
        mock.patch.object(mmap, "mmap", counted(mmap.mmap, "mmap")),
    ):
        yield faults


@contextmanager
def allocations(fail_at: Place | None) -> Generator[dict[Place, None]]:
    """Inside, the first allocation at a place of the package fails, in any thread.

    Gives the places that are reached.
    """
    places: dict[Place, None] = {}

    def reached(name: str, caller: FrameType | None) -> None:
        if caller is None or not caller.f_code.co_filename.startswith(PACKAGE):
            return
        place = (name, caller.f_code.co_filename, caller.f_lineno)
        first = place not in places
        places[place] = None
        if place == fail_at and first:
            _no_memory()

    def profile(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and function.__name__ in ALLOCATING:
            reached(function.__name__, frame)
        elif event == "call" and frame.f_code.co_name in ALLOCATING:
            if not frame.f_code.co_filename.startswith(PACKAGE):
                reached(frame.f_code.co_name, frame.f_back)

    original = mmap.mmap

    def mapped_memory(*args: Any, **kwargs: Any) -> Any:
        reached("mmap", sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return original(*args, **kwargs)

    with mock.patch.object(mmap, "mmap", mapped_memory):
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield places
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
