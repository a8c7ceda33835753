"""What the cache holds, and why it does not hold a program: which part of the key differs."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from devproc import settings
from devproc.ir.cpus import NATIVE
from devproc.runtime.cache.artifact_cache import KEY, cached_files, read_cached
from devproc.runtime.cache.cache_folder import open_entry, usable_folder
from devproc.runtime.cache.cache_key import CacheKey, keyed_options, source_key

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from devproc.compiler import Source
    from devproc.frontends.dsl import Pipeline
    from devproc.options import Placement

_PROGRAM = ("kind", "graph", "file", "program")
"""Parts that make an entry one of the same program."""

_LONG = 60
"""Characters of a part that a line shows."""


@dataclass(frozen=True)
class CachedProgram:
    """An entry of the cache."""

    path: Path
    parts: Mapping[str, str]
    size: int
    used: float
    """When it was used last, in seconds since 1970."""

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
    """Whether the cache holds a program, and else what differs from the nearest entry."""

    key: CacheKey
    hit: bool
    nearest: CachedProgram | None = None

    def differences(self) -> dict[str, str]:
        """What differs, by part of the key; see docs/cache.md."""
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
    """The entries of the cache, those used last first; without the damaged ones."""
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
    """Removes all files of the cache; how many, and their bytes.

    Programs that run go on: they keep what they have mapped.
    """
    count = size = 0
    for path in cached_files(settings.cache_dir()):
        with suppress(OSError):
            status = path.stat()
            path.unlink()
            count, size = count + 1, size + status.st_size
    return count, size


def why_not_cached(
    source: Pipeline | ExportedProgram | Source | str | Path,
    target: str = "cpu",
    *,
    threads: int | None = None,
    precision: str = "default",
    arch: str = "sm_90",
    cpu: str = NATIVE,
    placement: Placement | None = None,
    fallback: str | None = None,
    check_bounds: bool = False,
    check_values: bool = False,
    trust_pickle: bool = False,
) -> CacheAnswer:
    """Whether `devproc.compile` with these arguments finds a program in the cache.

    If it does not: which parts of the key differ from the entry that is most like it.
    """
    options = keyed_options(
        target, threads, precision, arch, cpu, check_bounds, check_values
    )
    places = placement or {}
    found = source_key(source, options, places, fallback)
    if found is None:
        key = _text_key_of(source, options, places, fallback, trust_pickle)
    else:
        key = found[0]
    if read_cached(key.name, None) is not None:
        return CacheAnswer(key, True)
    return CacheAnswer(key, False, _nearest(key))


def _text_key_of(
    source: Any,
    options: Mapping[str, Any],
    placement: Placement,
    fallback: str | None,
    trust_pickle: bool,
) -> CacheKey:
    """The key of what has one only after its import."""
    from devproc.compiler import key_of_module, read_source
    from devproc.options import set_options, target_options

    program = read_source(source, fallback, borrow=True, trust_pickle=trust_pickle)
    set_options(program.module, target_options(**options), placement)
    return key_of_module(program, str(options["target"]))


def _nearest(key: CacheKey) -> CachedProgram | None:
    """The entry that shares the most with a key, the program above all."""

    def likeness(entry: CachedProgram) -> tuple[int, int]:
        same = [n for n in key.parts if entry.parts.get(n) == key.parts[n]]
        return sum(name in _PROGRAM for name in same), len(same)

    return max(cached_programs(), key=likeness, default=None)


def _difference(old: str, new: str) -> str:
    """Both sides on a line, or the lines of a long text that differ."""
    if "\n" not in old + new:
        return f"there {_short(old)}, here {_short(new)}"
    before, after = set(old.splitlines()), set(new.splitlines())
    names = sorted({line.split(" ")[0] for line in before ^ after})
    many = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{many}"


def _short(text: str) -> str:
    return (
        text if len(text) <= _LONG else f"{text[: _LONG // 2]}...{text[-_LONG // 3 :]}"
    )
