"""The cache folder: private to the user, and never the cause of an error.

It holds machine code that will run, so only files are read that nobody except the user or
the administrator can have written. A failure is reported once per process.
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
    """The cache, or an entry of it, cannot be used; the user has been told why."""


def usable_folder(top: Path, name: str, create: bool = False) -> Path:
    """The folder of this name in the cache.

    Raises OSError if it is missing, UnusableCache if others may write to it.
    """
    if top == Path(os.devnull):
        raise UnusableCache("the cache is disabled")
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
    """A file of the cache, opened for reading.

    Raises OSError if it is missing, UnusableCache if others may write to it.
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
    """An unbuffered file and its name; removed afterwards unless it was renamed."""
    handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            yield file, name
    finally:
        with suppress(OSError):
            os.unlink(name)


def say_not_kept(error: OSError) -> None:
    """Warns, once per process, that the cache cannot be written."""
    if isinstance(error, UnusableCache):
        return
    warn_once(
        "not kept",
        f"compiled programs are not kept in {settings.cache_dir()} ({error}); each process "
        f"compiles them again. Free space there or make it writable, or set "
        f"{settings.CACHE_DIR.name} to another folder (empty: keep nothing, quietly)",
    )


def warn_once(kind: str, message: str) -> None:
    """Warns, once per process for each kind."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _check(path: Path, status: os.stat_result) -> None:
    user = os.geteuid()
    own = status.st_uid in (user, 0)
    if own and not status.st_mode & _WRITABLE_BY_OTHERS:
        return
    why = "others may write to it" if own else f"it belongs to user {status.st_uid}"
    remedy = f"chmod go-w '{path}'" if own else f"remove it, or chown it to {user}"
    warn_once(
        "not used",
        f"{path} is not used: {why}, and code in the cache is run. If you trust what is "
        f"there: {remedy}; or set {settings.CACHE_DIR.name} to a folder of your own",
    )
    raise UnusableCache(f"{path}: {why}")
