"""ELF objects: one with the weights is written, names that an object lacks are read."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from devproc.bundle.code.machines import Machine

_MACHINES = {
    "x86_64": 62,
    "aarch64": 183,
    "riscv64": 243,
    "riscv64v": 243,
    "thumbv7em": 40,
}
"""Architecture -> its number in ELF (`e_machine`)."""

_FLAGS = {"riscv64": 5, "riscv64v": 5, "thumbv7em": 0x0500_0400}
"""The ABI, where it is more than one: doubles in registers."""

_RELOCATABLE, _PROGBITS, _SYMTAB, _STRTAB = 1, 1, 2, 3
_GLOBAL_OBJECT, _HIDDEN = 0x11, 2
_ALLOCATED, _EXECUTABLE, _FUNCTION = 2, 4, 2


def data_object(machine: Machine, symbol: str, data: bytes) -> bytes:
    """An object file whose hidden `symbol` is read-only `data`, aligned to 64 bytes."""
    wide = machine.pointer_bytes == 8
    header_size, section_size = (64, 64) if wide else (52, 40)
    names = b"\0.rodata\0.symtab\0.strtab\0.note.GNU-stack\0"
    strings = b"\0" + symbol.encode() + b"\0"
    if wide:
        symbols = bytes(24) + struct.pack(
            "<IBBHQQ", 1, _GLOBAL_OBJECT, _HIDDEN, 1, 0, len(data)
        )
    else:
        symbols = bytes(16) + struct.pack(
            "<IIIBBH", 1, 0, len(data), _GLOBAL_OBJECT, _HIDDEN, 1
        )
    at = (header_size + 63) // 64 * 64
    parts = [bytes(at - header_size), data]
    places = [at]
    at += len(data)
    for part in (symbols, strings, names):
        gap = -at % 8
        parts += [bytes(gap), part]
        places.append(at + gap)
        at += gap + len(part)
    gap = -at % 8
    parts.append(bytes(gap))
    sections = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, _PROGBITS, _ALLOCATED, places[0], len(data), 0, 0, 64, 0),
        (9, _SYMTAB, 0, places[1], len(symbols), 3, 1, 8, len(symbols) // 2),
        (17, _STRTAB, 0, places[2], len(strings), 0, 0, 1, 0),
        (17, _STRTAB, 0, places[3], len(names), 0, 0, 1, 0),
        (25, _PROGBITS, 0, places[3], 0, 0, 0, 1, 0),
    ]
    form = "<IIQQQQIIQQ" if wide else "<10I"
    for name, kind, flags, place, size, link, info, alignment, entry in sections:
        row = (name, kind, flags, 0, place, size, link, info, alignment, entry)
        parts.append(struct.pack(form, *row))
    identity = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = identity + struct.pack(
        "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH",
        _RELOCATABLE,
        _MACHINES[machine.architecture],
        1,
        0,
        0,
        at + gap,
        _FLAGS.get(machine.architecture, 0),
        header_size,
        0,
        0,
        section_size,
        len(sections),
        4,
    )
    return b"".join([header, *parts])


def undefined_symbols(data: bytes) -> list[str]:
    """The names that an ELF object file refers to and does not define, sorted."""
    return sorted({s.name for s in _symbols(data) if not s.section and s.name})


def function_sizes(data: bytes) -> list[tuple[str, int]]:
    """The functions that an ELF object file defines, with their bytes of code."""
    return [
        (s.name, s.size) for s in _symbols(data) if s.kind == _FUNCTION and s.section
    ]


def loaded_bytes(data: bytes, code: bool) -> int:
    """The bytes of the code of an ELF object file, or of its other initial content."""
    return sum(
        size
        for _, kind, flags, _, _, size, *_ in _sections(data)
        if kind == _PROGBITS
        and flags & _ALLOCATED
        and bool(flags & _EXECUTABLE) == code
    )


class _Symbol(NamedTuple):
    """`section` is the number of the one that defines it, or 0."""

    name: str
    kind: int
    section: int
    size: int


def _sections(data: bytes) -> list[tuple[int, ...]]:
    wide = data[4] == 2
    row = struct.Struct("<IIQQQQIIQQ" if wide else "<10I")
    (at,) = struct.unpack_from("<Q" if wide else "<I", data, 0x28 if wide else 0x20)
    (count,) = struct.unpack_from("<H", data, 0x3C if wide else 0x30)
    return list(row.iter_unpack(data[at : at + count * row.size]))


def _symbols(data: bytes) -> Iterator[_Symbol]:
    wide = data[4] == 2
    symbol = struct.Struct("<IBxHQQ" if wide else "<IIIBxH")
    sections = _sections(data)
    for _, kind, _, _, place, size, link, *_ in sections:
        if kind != _SYMTAB:
            continue
        names = sections[link][4]
        for row in symbol.iter_unpack(data[place : place + size]):
            name, info, owner, length = (
                (row[0], row[1], row[2], row[4])
                if wide
                else (row[0], row[3], row[4], row[2])
            )
            end = data.index(b"\0", names + name)
            yield _Symbol(data[names + name : end].decode(), info & 0xF, owner, length)
