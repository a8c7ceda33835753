"""Static libraries in the format of System V, with the index that linkers want."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple


class Member(NamedTuple):
    """An object file in an archive, and the names that it defines."""

    name: str
    data: bytes
    symbols: Sequence[str]


def archive(members: Sequence[Member]) -> bytes:
    """The archive: its index, then the members, each at an even offset."""
    index = [
        (symbol, number) for number, m in enumerate(members) for symbol in m.symbols
    ]
    names = b"".join(symbol.encode() + b"\0" for symbol, _ in index)
    longs = b"".join(m.name.encode() + b"/\n" for m in members)
    index_size = 4 + 4 * len(index) + len(names)
    at = 8 + 60 + index_size + index_size % 2 + 60 + len(longs) + len(longs) % 2
    offsets: list[int] = []
    for member in members:
        offsets.append(at)
        at += 60 + len(member.data) + len(member.data) % 2
    table = struct.pack(">I", len(index))
    table += b"".join(struct.pack(">I", offsets[number]) for _, number in index)
    parts = [b"!<arch>\n", _member("/", table + names), _member("//", longs)]
    begin = 0
    for member in members:
        parts.append(_member(f"/{begin}", member.data))
        begin += len(member.name) + 2
    return b"".join(parts)


def _member(name: str, data: bytes) -> bytes:
    """A member with its header; no time and no user, so that bytes are reproducible."""
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n"
    return header.encode() + data + b"\n" * (len(data) % 2)
