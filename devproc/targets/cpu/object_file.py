"""The ELF object files that LLVM makes, read without trusting their numbers.

Everything that the linker reads later is checked here: each table and section lies within
the file, each symbol and reference within its section. A damaged file is refused before
any of it is in executable memory. The code itself is not inspected.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from devproc.errors import CompileError
from devproc.targets.cpu.relocations import Architecture, this_architecture

RELOCATABLE = 1
"""The type of an object file, in contrast to a program or a library."""

WRITE, ALLOCATED, EXECUTE = 1, 2, 4
"""Flags of a section."""

WRITABLE_CODE = WRITE | ALLOCATED | EXECUTE

SYMTAB, RELA, NOBITS = 2, 4, 8
"""Kinds of sections."""

UNDEFINED, ABSOLUTE = 0, 0xFFF1
"""Section numbers of symbols without a section."""

LARGEST = 1 << 30
"""Most bytes of an object in memory: within the reach of a 32-bit relocation."""

LARGEST_ALIGNMENT = 4096
"""A page: the alignment of memory from the system."""

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_REFERENCE = struct.Struct("<QQq")


class Section(NamedTuple):
    """A row of the table of sections."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class Symbol(NamedTuple):
    """A row of the table of symbols."""

    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


class Reference(NamedTuple):
    """A relocation: a place in a section that is patched with the address of a symbol."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True)
class ObjectFile:
    """The parts of an object file, each within its bounds."""

    data: bytes
    sections: list[Section]
    symbols: list[Symbol]
    names: bytes
    """The names of the symbols, each ended by a zero."""
    architecture: Architecture

    @staticmethod
    def read(data: bytes, architecture: Architecture | None = None) -> ObjectFile:
        """The parts; raises CompileError for anything but an intact object file of an
        architecture, by default that of this process.
        """
        wanted = architecture or this_architecture()
        if wanted is None or not _is_linkable(data, wanted):
            title = "this system" if wanted is None else wanted.title
            raise CompileError(f"cannot link the object code: no ELF file of {title}")
        sections = _sections(data)
        tables = [section for section in sections if section.kind == SYMTAB]
        if len(tables) != 1:
            raise _damaged(f"it has {len(tables)} tables of symbols")
        table = tables[0]
        if table.link >= len(sections):
            raise _damaged("the names of its symbols lie in no section")
        symbols = [Symbol(*row) for row in _rows(_SYMBOL, data, table, "symbols")]
        names = _content(data, sections[table.link])
        found = ObjectFile(data, sections, symbols, names, wanted)
        for symbol in symbols:
            found._check_symbol(symbol)
        return found

    def _check_symbol(self, symbol: Symbol) -> None:
        name, number = self.name(symbol), symbol.section
        if number in (UNDEFINED, ABSOLUTE):
            return
        if number >= len(self.sections):
            raise _damaged(f"symbol '{name}' lies in no section")
        if symbol.value > self.sections[number].size:
            raise _damaged(f"symbol '{name}' lies outside of its section")

    def name(self, symbol: Symbol) -> str:
        """The name of a symbol."""
        end = self.names.find(b"\0", symbol.name)
        if end < 0:
            raise _damaged("the name of a symbol has no end")
        try:
            return self.names[symbol.name : end].decode()
        except UnicodeDecodeError as error:
            raise _damaged(f"the name of a symbol is not text: {error}") from error

    def content(self, section: Section) -> bytes:
        """The bytes of a section."""
        return _content(self.data, section)

    def references(self) -> Iterator[Reference]:
        """The relocations of the sections that are loaded into memory."""
        for section in self.sections:
            if section.kind != RELA:
                continue
            if section.info >= len(self.sections):
                raise _damaged("references are those of no section")
            place = self.sections[section.info]
            if not place.flags & ALLOCATED:
                continue
            rows = _rows(_REFERENCE, self.data, section, "references")
            for offset, info, addend in rows:
                kind, symbol = info & 0xFFFFFFFF, info >> 32
                found = Reference(section.info, offset, kind, symbol, addend)
                self._check_reference(found, place)
                yield found

    def _check_reference(self, reference: Reference, place: Section) -> None:
        size = self.architecture.sizes.get(reference.kind)
        if size is None:
            raise CompileError(
                f"cannot link the object code: references of kind {reference.kind} are "
                "not known; add it to devproc/targets/cpu/relocations.py"
            )
        if reference.symbol >= len(self.symbols):
            raise _damaged(
                f"a reference is to symbol {reference.symbol}, which it lacks"
            )
        symbol = self.symbols[reference.symbol]
        outside = symbol.section == ABSOLUTE or (
            symbol.section == UNDEFINED and reference.symbol
        )
        if not outside and not self.sections[symbol.section].flags & ALLOCATED:
            raise _damaged(f"symbol '{self.name(symbol)}' is not in memory")
        if reference.offset + size > place.size:
            raise _damaged("a reference lies outside of its section")


def _is_linkable(data: bytes, architecture: Architecture) -> bool:
    """Whether this is an object file for an architecture."""
    if len(data) < _HEADER.size or data[:6] != b"\x7fELF\x02\x01":
        return False
    kind, processor = struct.unpack_from("<HH", data, 0x10)
    return (kind, processor) == (RELOCATABLE, architecture.machine)


def _damaged(what: str) -> CompileError:
    return CompileError(f"cannot link the object code, which is damaged: {what}")


def _sections(data: bytes) -> list[Section]:
    """The table of sections, each of which lies within the file."""
    header = _HEADER.unpack_from(data)
    start, size, count = header[6], header[11], header[12]
    if size != _SECTION.size:
        raise _damaged(f"a section is described in {size} bytes")
    if start + size * count > len(data):
        raise _damaged("the table of sections lies outside of the file")
    table = data[start : start + size * count]
    sections = [Section(*row) for row in _SECTION.iter_unpack(table)]
    total = 0
    for number, section in enumerate(sections):
        if section.kind != NOBITS and section.offset + section.size > len(data):
            raise _damaged(f"section {number} lies outside of the file")
        alignment = section.alignment or 1
        if alignment & (alignment - 1) or alignment > LARGEST_ALIGNMENT:
            raise _damaged(f"section {number} is aligned to {alignment} bytes")
        if section.flags & WRITABLE_CODE == WRITABLE_CODE:
            raise _damaged(f"section {number} is code that may be written to")
        if section.flags & ALLOCATED:
            total += section.size + alignment
    if total > LARGEST:
        raise _damaged(f"it takes {total} bytes of memory, at most {LARGEST} fit")
    return sections


def _content(data: bytes, section: Section) -> bytes:
    if section.kind == NOBITS:
        return b""
    return data[section.offset : section.offset + section.size]


def _rows(
    row: struct.Struct, data: bytes, section: Section, what: str
) -> Iterator[tuple[int, ...]]:
    content = _content(data, section)
    if len(content) % row.size:
        raise _damaged(f"the table of {what} ends within a row")
    return row.iter_unpack(content)
