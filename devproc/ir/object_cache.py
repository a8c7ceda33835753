"""Object code on disk, keyed by its inputs.

The key is a hash of everything that determines the code: the LLVM IR text, the processor
and its features, the options, the version of llvmlite. An entry is written under another
name and renamed, so that a reader never sees a partial one; a damaged entry is compiled
again. When the directory cannot be read or written, code is compiled.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from devproc.ir.cache_folder import (
    new_file,
    open_entry,
    say_not_kept,
    usable_folder,
)

MAGIC = b"devproc-object-1\n"


@dataclass(frozen=True)
class ObjectCache:
    """The cache in a directory; with None nothing is stored."""

    directory: Path | None

    def get_or_create(self, key: str, create: Callable[[], bytes]) -> bytes:
        """The entry; if it is missing, the result of `create`, which is stored."""
        found = self.get(key)
        if found is None:
            found = create()
            self.put(key, found)
        return found

    def get(self, key: str) -> bytes | None:
        """The entry; None if it is missing or damaged."""
        if self.directory is None:
            return None
        try:
            folder = usable_folder(self.directory, _folder_of(key))
            with open_entry(folder / _name_of(key)) as file:
                data = file.read()
        except OSError:
            return None
        header = len(MAGIC) + hashlib.sha256().digest_size
        checksum, code = data[len(MAGIC) : header], data[header:]
        if not data.startswith(MAGIC) or hashlib.sha256(code).digest() != checksum:
            return None
        return code

    def put(self, key: str, code: bytes) -> None:
        """Stores an entry; warns if that fails."""
        if self.directory is None:
            return
        try:
            folder = usable_folder(self.directory, _folder_of(key), create=True)
            with new_file(folder) as (file, name):
                data = memoryview(MAGIC + hashlib.sha256(code).digest() + code)
                while data:
                    data = data[file.write(data) :]
                os.replace(name, folder / _name_of(key))
        except OSError as error:
            say_not_kept(error)


def _folder_of(key: str) -> str:
    return f"objects/{key[:2]}"


def _name_of(key: str) -> str:
    return f"{key[2:]}.o"
