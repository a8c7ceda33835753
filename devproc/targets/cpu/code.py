"""The code of a program's CPU part as bytes: object files, and what they need."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import NamedTuple

from devproc.errors import BundleError
from devproc.runtime.reading.typed_json import parse_json, read_as
from devproc.targets.cpu.machine.processors import RequiredCPU
from devproc.targets.cpu.violations import CheckedAccess

_LENGTH = 8


@dataclass(frozen=True)
class _Header:
    cpu: RequiredCPU
    threads: int
    accesses: tuple[CheckedAccess, ...]
    sizes: tuple[int, ...]
    """Bytes of each object file."""
    pool: int
    """Bytes of the thread pool, 0 if the code does not use it."""


class CPUCode(NamedTuple):
    """Object files, which may call functions of earlier ones.

    `cpu` is what they require, `pool` the object code of the thread pool, `accesses` those
    that they check (with `check_bounds`).
    """

    cpu: RequiredCPU
    threads: int
    objects: tuple[bytes, ...]
    pool: bytes | None = None
    accesses: tuple[CheckedAccess, ...] = ()

    def to_bytes(self) -> bytes:
        """A header as JSON with its length in front, then the files."""
        pool = self.pool or b""
        sizes = tuple(map(len, self.objects))
        header = _Header(self.cpu, self.threads, self.accesses, sizes, len(pool))
        text = json.dumps(asdict(header)).encode()
        length = len(text).to_bytes(_LENGTH, "little")
        return b"".join((length, text, *self.objects, pool))

    @staticmethod
    def from_bytes(data: bytes) -> CPUCode:
        """Raises BundleError for bytes that are damaged."""
        end = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
        header = _read_header(data[_LENGTH:end])
        sizes = (*header.sizes, header.pool)
        if min(sizes) < 0 or end + sum(sizes) != len(data):
            raise BundleError(
                f"the code of the CPU has {len(data)} bytes, its header says "
                f"{end + sum(sizes)}"
            )
        files: list[bytes] = []
        for size in sizes:
            files.append(data[end : end + size])
            end += size
        *objects, pool = files
        return CPUCode(
            header.cpu, header.threads, tuple(objects), pool or None, header.accesses
        )


@lru_cache(maxsize=16)
def _read_header(text: bytes) -> _Header:
    """The header; kept, since it is checked before the code is loaded."""
    what = "the header of the CPU's code"
    return read_as(_Header, parse_json(text, what), what)
