"""The n-th call of the system fails, or the process is killed there, for files of a folder."""

from __future__ import annotations

import builtins
import errno
import io
import mmap
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

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
