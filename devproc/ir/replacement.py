"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from devproc.errors import BundleError


@contextmanager
def replacement(path: Path) -> Generator[IO[bytes]]:
    """A new file, open for writing and reading, that becomes `path` when the block ends.

    It is created exclusively, under an unpredictable name, in the folder of `path`; its
    mode follows the process's umask. A link at `path` is replaced, and its target is never
    written to. Programs that have mapped the old file keep its content. Raises BundleError
    if the file cannot be written, and removes it in that case.
    """
    part = path.with_name(f".{os.urandom(8).hex()}.part")
    try:
        _check_place(path)
        with part.open("x+b") as file:
            yield file
        os.replace(part, path)
    except OSError as error:
        raise BundleError(f"cannot save {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def _check_place(path: Path) -> None:
    """Raises BundleError unless the path is a regular file or free."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise BundleError(f"cannot save {path}: it is not a regular file")
    if path.is_dir():
        raise BundleError(f"cannot save {path}: it is a folder; add a file name to it")
    if not path.parent.is_dir():
        raise BundleError(
            f"cannot save {path}: there is no folder {path.parent}; create it first"
        )
