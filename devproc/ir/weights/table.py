"""The table of weights that the `nn.weight` ops of a program refer to.

The IR holds the name, type and hash of a weight; the table holds its content as a NumPy
array. On disk it is one safetensors file, which is memory-mapped when it is loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy as np

from devproc.errors import BundleError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.dtypes import DTYPE_NAMES, element_count
from devproc.ir.replacement import replacement

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

KnownHashes: TypeAlias = Mapping[object, str]
"""Known content hashes, by `memory_key`."""

HASH_DIGITS = 16
"""Hexadecimal digits of a content hash: 64 bits of SHA-256."""

_SAFETENSORS = {
    name: re.sub("FLOAT|U?INT", lambda word: word[0][0], name.upper())
    for name in DTYPE_NAMES
}
"""dtype name -> its code in a safetensors file: `F64`, `BF16`, `U8`, `BOOL`."""

PADDING = "__padding__."
"""Prefix of the names of entries that keep others aligned."""

_DTYPE_NAMES = {code: name for name, code in _SAFETENSORS.items()}


@dataclass(frozen=True)
class Weight:
    """One entry: the array, its dtype name, and the hash that a file recorded for it."""

    array: Array
    dtype: str
    recorded: str | None = None

    @lazy_property
    def hash(self) -> str:
        """The content hash, computed on first access at half a second per GB."""
        return self.recorded or hash_of(self.array, self.dtype)


class WeightTable:
    """A mapping from weight names to arrays. Entries never change once added.

    NumPy has no bfloat16: such a weight is kept as the uint16 view of its bits, under
    the dtype name `bfloat16`.
    """

    def __init__(self, known: KnownHashes | None = None) -> None:
        """`known`: hashes of arrays that outlive this table and do not change."""
        self._weights: dict[str, Weight] = {}
        self._known = known or {}

    def __len__(self) -> int:
        return len(self._weights)

    def __contains__(self, name: object) -> bool:
        return name in self._weights

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __repr__(self) -> str:
        return f"<WeightTable {len(self)} weights, {self.byte_count():,} bytes>"

    def add(self, name: str, array: Array, dtype_name: str | None = None) -> None:
        """Adds a weight; `dtype_name` defaults to the array's.

        Adding the same content twice is harmless; another content under a known name
        raises ValueError.
        """
        dtype_name = dtype_name or array.dtype.name
        wanted = storage_dtype(dtype_name)
        if array.dtype != wanted:
            raise ValueError(
                f"weight '{name}' is declared {dtype_name}, which is stored as {wanted},"
                f" but its array holds {array.dtype}"
            )
        frozen = np.asarray(array, order="C").view()
        frozen.flags.writeable = False
        known = self._known.get(memory_key(frozen, dtype_name))
        self._put(name, Weight(frozen, dtype_name, known))

    def array(self, name: str) -> Array:
        """The array of a weight, read-only and contiguous."""
        return self._weights[name].array

    def hash(self, name: str) -> str:
        """The content hash of a weight."""
        return self._weights[name].hash

    def dtype(self, name: str) -> str:
        """The dtype name of a weight."""
        return self._weights[name].dtype

    def names(self) -> tuple[str, ...]:
        """All names, in the order in which they were added."""
        return tuple(self._weights)

    def byte_count(self) -> int:
        """Bytes of all weights together."""
        return sum(weight.array.nbytes for weight in self._weights.values())

    def update(self, other: WeightTable, prefix: str = "") -> None:
        """Adds every weight of `other`, its name prefixed."""
        for name, weight in other._weights.items():
            self._put(prefix + name, weight)

    def alias(self, name: str, other: WeightTable, its_name: str) -> None:
        """Adds a weight of `other` under a name of this table."""
        self._put(name, other._weights[its_name])

    def subset(self, names: Iterable[str]) -> WeightTable:
        """A table with these weights only."""
        result = WeightTable()
        for name in names:
            result._put(name, self._weights[name])
        return result

    def _put(self, name: str, weight: Weight) -> None:
        known = self._weights.setdefault(name, weight)
        if known is not weight and known.hash != weight.hash:
            raise ValueError(
                f"weight '{name}' is already in the table with another content "
                f"({known.hash}, now {weight.hash}): add it under another name"
            )

    def save(self, path: str | Path) -> None:
        """Writes a safetensors file with the hashes in its metadata.

        Raises BundleError if it cannot be written.
        """
        with replacement(Path(path)) as file:
            self.write(file)

    def write(self, file: IO[bytes], alignment: int = 1) -> None:
        """Writes a safetensors file up to its end.

        The offset of each array is a multiple of `alignment` and of its item size. The
        format allows no gaps: padding is an entry, named `PADDING` and a number.
        """
        # Widest elements first, which needs little padding.
        items = sorted(self._weights.items(), key=lambda i: -i[1].array.itemsize)
        hashes = {name: weight.hash for name, weight in self._weights.items()}
        header: dict[str, object] = {
            "__metadata__": {"devproc.hashes": json.dumps(hashes)}
        }
        end = 0
        gaps: list[int] = []
        for name, weight in items:
            gaps.append(-end % alignment)
            begin = end + gaps[-1]
            if begin != end:
                header[f"{PADDING}{begin}"] = _entry("uint8", [begin - end], end)
            header[name] = _entry(weight.dtype, list(weight.array.shape), begin)
            end = begin + weight.array.nbytes
        text = json.dumps(header, separators=(",", ":")).encode()
        # The header may end in spaces: the data begins at a cache line.
        text += b" " * (-(8 + len(text)) % 64)
        file.write(struct.pack("<Q", len(text)) + text)
        for (_, weight), gap in zip(items, gaps, strict=True):
            file.write(bytes(gap))
            file.write(_bytes_of(weight.array))

    @classmethod
    def load(cls, path: str | Path) -> WeightTable:
        """Maps a safetensors file into memory; nothing is read until it is used.

        The hashes are those of the file's metadata, or computed if it has none; `verify`
        compares them with the content. Raises BundleError for an invalid file.
        """
        path = Path(path)
        try:
            # An empty file cannot be mapped.
            size = path.stat().st_size
            data = np.memmap(path, np.uint8, "r") if size else np.zeros(0, np.uint8)
        except (OSError, ValueError) as error:
            raise _bad_file(path, error) from error
        return cls.from_bytes(np.asarray(data), path)

    @classmethod
    def from_bytes(cls, data: Array, path: Path) -> WeightTable:
        """The weights in a safetensors file, as views of its bytes.

        `path` is for messages. Raises BundleError for an invalid file.
        """
        try:
            return cls._parse(data)
        except (ValueError, OverflowError, RecursionError) as error:
            raise _bad_file(path, error) from error

    @classmethod
    def _parse(cls, data: Array) -> WeightTable:
        length = int.from_bytes(data[:8].tobytes(), "little")
        if data.nbytes < 8 or length > data.nbytes - 8:
            raise ValueError("the header is longer than the file")
        header = _members(json.loads(data[8 : 8 + length].tobytes()))
        metadata = _members(header.pop("__metadata__", {}))
        hashes = _hashes(metadata.get("devproc.hashes", "{}"))
        # The hashes keep the order of names; safetensors sorts its entries.
        order = [
            *(n for n in hashes if n in header),
            *(n for n in header if n not in hashes and not n.startswith(PADDING)),
        ]
        content = data[8 + length :]
        result = cls()
        for name in order:
            dtype, shape, start, end = _parse_entry(name, header[name])
            if not 0 <= start <= end <= content.nbytes:
                raise ValueError(f"weight '{name}' ends after the file")
            stored = storage_dtype(dtype)
            if element_count(shape) * stored.itemsize != end - start:
                raise ValueError(f"weight '{name}' has the wrong number of bytes")
            array = content[start:end].view(stored).reshape(shape)
            array.flags.writeable = False
            result._put(name, Weight(array, dtype, hashes.get(name)))
        return result

    def verify(self) -> None:
        """Compares every hash with the content; raises BundleError naming the first."""
        for name, weight in self._weights.items():
            found = hash_of(weight.array, weight.dtype)
            if found != weight.hash:
                raise BundleError(
                    f"weight '{name}' is damaged: its content has hash {found}, "
                    f"recorded {weight.hash}; restore the file or import it again"
                )


def _bad_file(path: Path, error: Exception) -> BundleError:
    return BundleError(
        f"cannot load the weights of '{path}': {error}; "
        "is it a complete safetensors file?"
    )


def _members(data: object) -> dict[str, object]:
    """A JSON object; raises ValueError for anything else."""
    if not isinstance(data, dict):
        raise ValueError(f"its header has {type(data).__name__} for an object")
    return cast(dict[str, object], data)


def _hashes(text: object) -> dict[str, str]:
    """The recorded hashes by name; raises ValueError for invalid ones."""
    hashes = _members(json.loads(text) if isinstance(text, str) else text)
    if not all(isinstance(value, str) for value in hashes.values()):
        raise ValueError("its hashes are not strings")
    return cast(dict[str, str], hashes)


def _parse_entry(name: str, data: object) -> tuple[str, tuple[int, ...], int, int]:
    """Dtype, shape, begin and end of an array; raises ValueError."""
    entry = _members(data)
    dtype = _DTYPE_NAMES.get(str(entry.get("dtype")))
    shape, place = entry.get("shape"), entry.get("data_offsets")
    if dtype is None:
        raise ValueError(f"weight '{name}' has the unknown dtype {entry.get('dtype')}")
    for numbers in (shape, place):
        listed = cast(list[object], numbers) if isinstance(numbers, list) else [None]
        if not all(type(n) is int and n >= 0 for n in listed):
            raise ValueError(f"weight '{name}' has no shape or no place")
    start_end = cast(list[int], place)
    if len(start_end) != 2:
        raise ValueError(f"weight '{name}' has no place")
    return dtype, tuple(cast(list[int], shape)), start_end[0], start_end[1]


def _entry(dtype: str, shape: list[int], begin: int) -> dict[str, object]:
    """The entry of an array in the header of a safetensors file."""
    size = element_count(shape) * storage_dtype(dtype).itemsize
    return {
        "dtype": _SAFETENSORS[dtype],
        "shape": shape,
        "data_offsets": [begin, begin + size],
    }


def storage_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype that holds a dtype of ours; raises ValueError for others."""
    if name not in DTYPE_NAMES:
        raise ValueError(f"unknown dtype '{name}'; one of {', '.join(DTYPE_NAMES)}")
    return np.dtype("uint16" if name == "bfloat16" else name)


def memory_key(array: Array, dtype_name: str) -> object:
    """A key that is equal for contiguous arrays over the same memory, while both live."""
    address = array.__array_interface__["data"][0] if array.size else 0
    return (address, array.shape, dtype_name)


def hash_of(array: Array, dtype_name: str) -> str:
    """The content hash: dtype, shape and bytes."""
    digest = hashlib.sha256(f"{dtype_name}{array.shape}".encode())
    digest.update(_bytes_of(array))
    return digest.hexdigest()[:HASH_DIGITS]


def _bytes_of(array: Array) -> memoryview:
    """The bytes of an array in row-major order, without a copy if it is contiguous."""
    if not array.size:
        return memoryview(b"")
    return np.asarray(array, order="C").reshape(-1).view(np.uint8).data
