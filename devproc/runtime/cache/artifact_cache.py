"""Compiled programs on disk, keyed by a hash of everything that determines them.

An entry is a zip with the artifact and the list of its weights. The weights are in a
separate file, named by its content, which a reader maps instead of packing them again.
Entries are renamed into place, so that a reader sees a whole one or none; a damaged entry
counts as missing. The least recently used entries are removed when all together exceed
`DEVPROC_CACHE_LIMIT`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from devproc import settings
from devproc.errors import BundleError
from devproc.ir.cache_folder import (
    UnusableCache,
    new_file,
    open_entry,
    say_not_kept,
    usable_folder,
    warn_once,
)
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.dtypes import element_count
from devproc.ir.weights.table import Array, WeightTable, storage_dtype
from devproc.runtime.bundles.artifact import Compiled
from devproc.runtime.bundles.bundle import read_artifact, write_artifact
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.runtime.cache.cache_key import CacheKey
from devproc.runtime.calls.calling import Calling, NamedCalling

KEY = "key.json"
"""The parts of an entry's key, in its zip; `devproc cache why` compares them."""

_PROGRAMS, _WEIGHTS = "programs", "weights.json"
_PAGE = 4096
_BLOCK = 1 << 16
"""Bytes per sum of a checksum."""

PARALLEL_SUMS = 4
"""Threads that sum weights; more would wait for memory."""

_LARGE = 1 << 20
"""Bytes of weights from which every new entry triggers the removal of old ones."""

_UNREADABLE = (
    OSError,
    KeyError,
    TypeError,
    ValueError,
    NotImplementedError,
    EOFError,
    zipfile.BadZipFile,
    BundleError,
)


StoredWeights: TypeAlias = dict[str, Any]
"""The record that locates written weights: their places, size and checksum."""


def read_cached(key: str, calling: Calling | None) -> Compiled | None:
    """The entry of this key; None if it is missing or damaged.

    `calling`: the calling convention, if known; otherwise the entry's own.
    """
    try:
        path = usable_folder(settings.cache_dir(), _PROGRAMS) / f"{key}.zip"
        with open_entry(path) as file, zipfile.ZipFile(file) as bundle:
            artifact = read_artifact(bundle)
            weights = _read_weights(json.loads(bundle.read(_WEIGHTS)))
        check_artifact(artifact, weights, f"{path}")
    except _UNREADABLE:
        return None
    with suppress(OSError):
        os.utime(path)
    if calling is not None:
        artifact = replace(artifact, calling=calling)
    return Compiled(artifact, weights)


def write_cached(key: CacheKey, entry: Compiled, with_calling: bool) -> None:
    """Stores an entry; warns if the folder cannot be written.

    `with_calling`: readers do not know the calling convention. An entry whose convention
    has no text (containers of another package) is not stored.
    """
    artifact = entry.artifact
    if not with_calling:
        artifact = replace(artifact, calling=NamedCalling(artifact.interface))
    record = entry.stored or _store_table(entry.weights)
    if record is None:
        return
    try:
        folder = usable_folder(settings.cache_dir(), _PROGRAMS, create=True)
        with new_file(folder) as (file, name):
            with io.BufferedWriter(cast(io.FileIO, file)) as buffered:
                with zipfile.ZipFile(buffered, "w") as bundle:
                    write_artifact(bundle, artifact)
                    bundle.writestr(_WEIGHTS, json.dumps(record))
                    bundle.writestr(KEY, json.dumps(dict(key.parts)))
            # Renaming is atomic: a reader sees the whole entry or none.
            os.replace(name, folder / f"{key.name}.zip")
    except OSError as error:
        say_not_kept(error)
        return
    except (TypeError, ValueError, BundleError):
        return
    # Do not walk over thousands of small entries for each new one.
    if record["size"] >= _LARGE or key.name.endswith("00"):
        remove_oldest(settings.cache_limit())


def store_weights(
    arrays: Iterable[tuple[str, str, Array]],
) -> tuple[WeightTable, StoredWeights] | None:
    """Writes weights (name, dtype, array) one by one, to be named by an entry.

    Returns them mapped from their file, and the record that locates them; None if they
    cannot be stored.
    """
    try:
        folder = usable_folder(settings.cache_dir(), "weights", create=True)
        with new_file(folder) as (file, name):
            record = _write_weights(file.fileno(), arrays)
            path = _weights_path(record)
            if record["size"] and not (path.is_file() and _maps(record)):
                os.replace(name, path)
            return _mapped(record), record
    except OSError as error:
        say_not_kept(error)
        return None


def _store_table(weights: WeightTable) -> StoredWeights | None:
    rows = ((name, weights.dtype(name), weights.array(name)) for name in weights)
    found = store_weights(rows)
    return found and found[1]


def remove_oldest(limit: int) -> None:
    """Removes the least recently used entries until at most `limit` bytes are left."""
    found: list[tuple[float, int, Path]] = []
    for path in cached_files(settings.cache_dir()):
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            return
        total -= size
        # Programs that have mapped the file keep its content.
        with suppress(OSError):
            path.unlink()


def cached_files(folder: Path) -> Iterator[Path]:
    """All files of the cache, including unfinished ones."""
    for kind in (_PROGRAMS, "weights", "objects"):
        yield from (p for p in (folder / kind).rglob("*") if p.is_file())


def _write_weights(
    file: int, arrays: Iterable[tuple[str, str, Array]]
) -> StoredWeights:
    """Writes the arrays, each at a page boundary; returns the record that locates them.

    Raises OSError if they take more than half of the cache's limit.
    """
    rows: list[list[Any]] = []
    digest, end, most = hashlib.sha256(), 0, settings.cache_limit() // 2
    for name, dtype, array in arrays:
        begin = -(-end // _PAGE) * _PAGE
        end = begin + array.nbytes
        if end > most:
            raise _too_many(most)
        rows.append([name, dtype, list(array.shape), begin])
        digest.update(_checksum(array))
        os.lseek(file, begin, os.SEEK_SET)
        _write_all(file, array)
    # The last weights may be empty, on a page that nothing was written to.
    os.ftruncate(file, end)
    return {"rows": rows, "size": end, "checksum": digest.hexdigest()}


def _too_many(most: int) -> UnusableCache:
    """Warns once, except for users who disabled the cache."""
    if most:
        warn_once(
            "limit",
            f"a program is not kept: its weights are more than {most:,} bytes, half of "
            f"{settings.CACHE_LIMIT.name}; each process compiles it again. Raise the limit",
        )
    return UnusableCache("more weights than the cache may hold")


def _write_all(file: int, array: Array) -> None:
    data = _bytes(array).data
    while data:
        data = data[os.write(file, data) :]


def _weights_path(record: StoredWeights) -> Path:
    text = json.dumps([record["rows"], record["size"], record["checksum"]])
    name = hashlib.sha256(text.encode()).hexdigest()
    return settings.cache_dir() / "weights" / f"{name}.bin"


def _maps(record: StoredWeights) -> bool:
    """Whether the file exists and is intact."""
    try:
        _read_weights(record)
    except _UNREADABLE:
        return False
    return True


def _read_weights(record: StoredWeights) -> WeightTable:
    """Maps the arrays; raises ValueError if their checksum differs."""
    table = _mapped(record)
    if _checksum_of(table) != record["checksum"]:
        raise ValueError("the checksum differs")
    return table


def _mapped(record: StoredWeights) -> WeightTable:
    """Maps the arrays; raises ValueError if the file has another size."""
    table = WeightTable()
    size = record["size"]
    path = _weights_path(record)
    data: Array = np.zeros(0, np.uint8)
    if size:
        usable_folder(settings.cache_dir(), "weights")
        with open_entry(path) as file:
            if os.fstat(file.fileno()).st_size != size:
                raise ValueError("the file has another size")
            data = np.asarray(np.memmap(file, np.uint8, "r"))
        with suppress(OSError):
            os.utime(path)
    for name, dtype, shape, begin in record["rows"]:
        stored = storage_dtype(dtype)
        part = data[begin : begin + element_count(shape) * stored.itemsize]
        table.add(name, part.view(stored).reshape(shape), dtype)
    return table


def _bytes(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _checksum_of(weights: WeightTable) -> str:
    """The checksum of all arrays, in order; threads sum them without the GIL."""
    digest = hashlib.sha256()
    with WorkerPool(PARALLEL_SUMS) as pool:
        for part in pool.map(_checksum, map(weights.array, weights)):
            digest.update(part)
    return digest.hexdigest()


def _checksum(array: Array) -> bytes:
    """Sums of blocks of words, at the speed of memory: detects lost pages and flipped bits.

    Not a content hash; keys are made of those.
    """
    data = _bytes(array)
    whole = len(data) // _BLOCK * _BLOCK
    rest = np.zeros(-(-(len(data) - whole) // 8) * 8, np.uint8)
    rest[: len(data) - whole] = data[whole:]
    blocks = data[:whole].view(np.uint64).reshape(-1, _BLOCK // 8)
    sums = np.add.reduce(blocks, axis=1, dtype=np.uint64)
    return sums.tobytes() + rest.tobytes()
