"""The folder of what is kept between processes: private, and never in the way.

What lies there is machine code that will run, so only files are read that nobody but the
user, or the administrator, can have written. Whatever fails is said once in a process.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from devproc import settings

PRIVATE = 0o700

_WRITABLE_BY_OTHERS = 0o022

_warned: set[str] = set()


class UnusableCache(OSError):
    """The cache, or an entry of it, is not used; the user knows why."""


def usable_folder(top: Path, name: str, create: bool = False) -> Path:
    """The folder of this name in the cache.

    Raises OSError where there is none, UnusableCache where others may write to it.
    """
    if top == Path(os.devnull):
        raise UnusableCache("the user wants nothing to be kept")
    folder = top
    if create:
        top.mkdir(PRIVATE, parents=True, exist_ok=True)
    _check(top, os.stat(top))
    for part in Path(name).parts:
        folder /= part
        if create:
            folder.mkdir(PRIVATE, exist_ok=True)
        _check(folder, os.stat(folder))
    return folder


def open_entry(path: Path) -> IO[bytes]:
    """A file of the cache, to read.

    Raises OSError where there is none, UnusableCache where others may write to it.
    """
    file = path.open("rb")
    try:
        _check(path, os.fstat(file.fileno()))
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def new_file(folder: Path) -> Generator[tuple[IO[bytes], str]]:
    """A file without a buffer, and its name, to be renamed; removed if it is not."""
    handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            yield file, name
    finally:
        with suppress(OSError):
            os.unlink(name)


def say_not_kept(error: OSError) -> None:
    """Warn, once in a process, that the cache cannot be written."""
    if isinstance(error, UnusableCache):
        return
    warn_once(
        "not kept",
        f"compiled programs are not kept in {settings.cache_dir()} ({error}); each process "
        f"compiles them again. Free space there or make it writable, or set "
        f"{settings.CACHE_DIR.name} to another folder (empty: keep nothing, quietly)",
    )


def warn_once(kind: str, message: str) -> None:
    """A warning, once in a process for each kind."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _check(path: Path, status: os.stat_result) -> None:
    own = status.st_uid in (os.geteuid(), 0)
    if own and not status.st_mode & _WRITABLE_BY_OTHERS:
        return
    why = "others may write to it" if own else f"it belongs to user {status.st_uid}"
    remedy = (
        f"chmod go-w '{path}'" if own else f"remove it, or chown it to {os.geteuid()}"
    )
    warn_once(
        "not used",
        f"{path} is not used: {why}, and code in the cache is run. If you trust what is "
        f"there: {remedy}; or set {settings.CACHE_DIR.name} to a folder of your own",
    )
    raise UnusableCache(f"{path}: {why}")
