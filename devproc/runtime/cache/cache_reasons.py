"""The entries of the cache, and why a program has none: the parts of its key that differ."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from devproc import settings
from devproc.ir.cache_folder import open_entry, usable_folder
from devproc.runtime.cache.artifact_cache import KEY, cached_files, read_cached
from devproc.runtime.cache.cache_key import CacheKey

_PROGRAM = ("kind", "graph", "file", "program")
"""Parts of a key that identify the program."""

_LONG = 60
"""Characters of a part that a line shows."""


@dataclass(frozen=True)
class CachedProgram:
    """An entry of the cache."""

    path: Path
    parts: Mapping[str, str]
    size: int
    used: float
    """Time of the last use, in seconds since 1970."""

    @property
    def name(self) -> str:
        """The hash of its key."""
        return self.path.stem

    def options(self) -> str:
        """The options it was compiled with, on one line."""
        prefix = "option "
        words = (
            f"{name.removeprefix(prefix)}={text}"
            for name, text in self.parts.items()
            if name.startswith(prefix)
        )
        return " ".join(words)


@dataclass(frozen=True)
class CacheAnswer:
    """Whether the cache holds a program; if not, the entry with the most similar key."""

    key: CacheKey
    hit: bool
    nearest: CachedProgram | None = None

    def differences(self) -> dict[str, str]:
        """The differences by part of the key; see docs/cache.md."""
        if self.hit or self.nearest is None:
            return {}
        old, new = self.nearest.parts, self.key.parts
        return {
            name: _difference(old.get(name, "nothing"), new.get(name, "nothing"))
            for name in dict.fromkeys([*new, *old])
            if old.get(name) != new.get(name)
        }

    def __str__(self) -> str:
        if self.hit:
            return f"in the cache, as {self.key.name}"
        if self.nearest is None:
            return f"not in the cache: {settings.cache_dir()} holds no program"
        differences = self.differences()
        if not differences:
            return (
                f"not in the cache: the entry {self.nearest.name} has this key, but it or "
                "its weights are damaged, removed, or not to be trusted"
            )
        rows = "\n".join(f"  {name}: {text}" for name, text in differences.items())
        return f"not in the cache; what differs from the nearest, {self.nearest.name}:\n{rows}"


def cached_programs() -> list[CachedProgram]:
    """The intact entries of the cache, most recently used first."""
    return sorted(_entries(), key=lambda entry: -entry.used)


def _entries() -> Iterator[CachedProgram]:
    folder = Path()
    with suppress(OSError):
        folder = usable_folder(settings.cache_dir(), "programs")
    if folder == Path():
        return
    for path in folder.glob("*.zip"):
        with suppress(OSError, KeyError, ValueError, zipfile.BadZipFile):
            status = path.stat()
            with open_entry(path) as file, zipfile.ZipFile(file) as bundle:
                parts = cast(dict[str, str], json.loads(bundle.read(KEY)))
            yield CachedProgram(path, parts, status.st_size, status.st_mtime)


def clear_cache() -> tuple[int, int]:
    """Removes all files of the cache; returns their number and bytes.

    Running programs keep what they have mapped.
    """
    count = size = 0
    for path in cached_files(settings.cache_dir()):
        with suppress(OSError):
            status = path.stat()
            path.unlink()
            count, size = count + 1, size + status.st_size
    return count, size


def answer_for(key: CacheKey) -> CacheAnswer:
    """Whether there is an entry for a key; if not, the one with the most similar key."""
    if read_cached(key.name, None) is not None:
        return CacheAnswer(key, True)
    return CacheAnswer(key, False, _nearest(key))


def _nearest(key: CacheKey) -> CachedProgram | None:
    """The entry whose key shares the most parts, first of all the program."""

    def likeness(entry: CachedProgram) -> tuple[int, int]:
        same = [n for n in key.parts if entry.parts.get(n) == key.parts[n]]
        return sum(name in _PROGRAM for name in same), len(same)

    return max(cached_programs(), key=likeness, default=None)


def _difference(old: str, new: str) -> str:
    """Both values on one line, or the names of the differing lines of a long text."""
    if "\n" not in old + new:
        return f"there {_short(old)}, here {_short(new)}"
    before, after = set(old.splitlines()), set(new.splitlines())
    names = sorted({line.split(" ")[0] for line in before ^ after})
    many = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{many}"


def _short(text: str) -> str:
    cut = f"{text[: _LONG // 2]}...{text[-_LONG // 3 :]}"
    return text if len(text) <= _LONG else cut
