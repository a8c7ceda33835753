"""An object file in this process: what a linker does, for the code LLVM makes for x86-64.

A process that only runs programs then needs no LLVM, whose library costs 40 MB and a
tenth of a second. What is here is the ELF of the System V ABI: sections are put side by
side in private memory, the places that refer to symbols are filled in, and code becomes
read-only before it runs. Calls out of the object go through stubs, as the C library may
lie out of reach of a relative call.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from devproc.errors import CompileError

X86_64 = 62
"""The processor's number in the ELF header."""

WRITE, ALLOCATED, EXECUTE = 1, 2, 4
"""Flags of a section."""

SYMTAB, RELA, NOBITS = 2, 4, 8
"""Kinds of sections."""

UNDEFINED, ABSOLUTE = 0, 0xFFF1
"""Section numbers of symbols that lie in none."""

ABS64, PC32, PLT32, GOTPCREL, PC64, GOTPCRELX, REX_GOTPCRELX = 1, 2, 4, 9, 24, 41, 42
"""Kinds of references; those to the GOT are to a table of addresses."""

STUB = struct.pack("<6B", 0xFF, 0x25, 0, 0, 0, 0)
"""`jmp *(%rip)`: to the address that follows it."""

STUB_SIZE, ADDRESS_SIZE = 16, 8


class _Section(NamedTuple):
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


class _Symbol(NamedTuple):
    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


@dataclass(frozen=True)
class ObjectFile:
    """The parts of an object file."""

    data: bytes
    sections: list[_Section]
    symbols: list[_Symbol]
    names: int
    """Where the names of the symbols begin."""

    @staticmethod
    def read(data: bytes) -> ObjectFile:
        """The parts; raises CompileError for what is no object file of x86-64."""
        if not is_linkable(data):
            raise CompileError("cannot link the object code: no ELF file of x86-64")
        (start,) = struct.unpack_from("<Q", data, 0x28)
        size, count = struct.unpack_from("<HH", data, 0x3A)
        sections = [
            _Section(*struct.unpack_from("<IIQQQQIIQQ", data, start + size * i))
            for i in range(count)
        ]
        table = next(s for s in sections if s.kind == SYMTAB)
        raw = data[table.offset : table.offset + table.size]
        symbols = [_Symbol(*fields) for fields in struct.iter_unpack("<IBBHQQ", raw)]
        return ObjectFile(data, sections, symbols, sections[table.link].offset)

    def name(self, symbol: _Symbol) -> str:
        """The name of a symbol."""
        begin = self.names + symbol.name
        return self.data[begin : self.data.index(b"\0", begin)].decode()

    def references(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Section, offset, kind, symbol and addend of each place to fill in."""
        for section in self.sections:
            if section.kind != RELA:
                continue
            if not self.sections[section.info].flags & ALLOCATED:
                continue
            raw = self.data[section.offset : section.offset + section.size]
            for offset, info, addend in struct.iter_unpack("<QQq", raw):
                yield section.info, offset, info & 0xFFFFFFFF, info >> 32, addend


def is_linkable(data: bytes) -> bool:
    """Whether this is an object file for x86-64."""
    if len(data) < 0x40 or data[:6] != b"\x7fELF\x02\x01":
        return False
    return struct.unpack_from("<H", data, 0x12)[0] == X86_64


@dataclass
class LinkedObject:
    """An object file in memory, ready to run; it goes with this object.

    `symbols` are addresses that the code refers to, beside what the process exports.
    """

    code: ObjectFile
    symbols: Mapping[str, int]
    places: dict[int, int] = field(default_factory=dict)
    """Where each section lies, from the beginning of the memory."""

    def __post_init__(self) -> None:
        outside = [
            number
            for number, symbol in enumerate(self.code.symbols)
            if number and symbol.section == UNDEFINED
        ]
        end = self._lay_out(EXECUTE | ALLOCATED, 0)
        self._stubs = {n: end + STUB_SIZE * i for i, n in enumerate(outside)}
        executable = _page(end + STUB_SIZE * len(outside))
        end = self._lay_out(ALLOCATED, executable)
        self._table = (end + ADDRESS_SIZE) // ADDRESS_SIZE * ADDRESS_SIZE
        count = len(self.code.symbols)
        constant = _page(self._table + ADDRESS_SIZE * count)
        size = self._lay_out(WRITE | ALLOCATED, constant)
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._memory = mmap.mmap(-1, _page(size + 1), private)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._fill(self._addresses())
        _protect(self._base, executable, mmap.PROT_READ | mmap.PROT_EXEC)
        _protect(self._base + executable, constant - executable, mmap.PROT_READ)

    def _lay_out(self, flags: int, begin: int) -> int:
        """Give a place to the sections with these flags; where they end."""
        for number, section in enumerate(self.code.sections):
            if section.flags & (WRITE | ALLOCATED | EXECUTE) == flags:
                alignment = max(1, section.alignment)
                begin = -(-begin // alignment) * alignment
                self.places[number] = begin
                begin += section.size
        return begin

    def _addresses(self) -> list[int]:
        """The address of each symbol."""
        found: list[int] = []
        for number, symbol in enumerate(self.code.symbols):
            if number and symbol.section == UNDEFINED:
                found.append(self._outside(self.code.name(symbol)))
            elif symbol.section in self.places:
                place = self.places[symbol.section]
                found.append(self._base + place + symbol.value)
            else:
                found.append(symbol.value if symbol.section == ABSOLUTE else 0)
        return found

    def _outside(self, name: str) -> int:
        if name in self.symbols:
            return self.symbols[name]
        try:
            function = _process()[name]
        except AttributeError:
            raise CompileError(
                f"cannot link the object code: the process has no symbol '{name}'"
            ) from None
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    def _fill(self, addresses: list[int]) -> None:
        """Copy the sections, and fill in stubs, the table of addresses and references."""
        memory, code = self._memory, self.code
        for number, place in self.places.items():
            section = code.sections[number]
            if section.kind != NOBITS:
                content = code.data[section.offset : section.offset + section.size]
                memory[place : place + section.size] = content
        for number, stub in self._stubs.items():
            content = STUB + struct.pack("<Q", addresses[number])
            memory[stub : stub + len(content)] = content
        struct.pack_into(f"<{len(addresses)}Q", memory, self._table, *addresses)
        for section, offset, kind, number, addend in code.references():
            place = self.places[section] + offset
            target, here = addresses[number], self._base + place
            if kind in (PC32, PLT32) and number in self._stubs:
                target = self._base + self._stubs[number]
            elif kind in (GOTPCREL, GOTPCRELX, REX_GOTPCRELX):
                target = self._base + self._table + ADDRESS_SIZE * number
            if kind in (ABS64, PC64):
                value = target + addend - (here if kind == PC64 else 0)
                struct.pack_into("<Q", memory, place, value % (1 << 64))
            elif kind in (PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX):
                struct.pack_into("<i", memory, place, target + addend - here)
            else:
                raise CompileError(
                    f"cannot link the object code: references of kind {kind} are not "
                    "known; add it to devproc/targets/cpu/object_linker.py"
                )

    def functions(self) -> dict[str, int]:
        """The addresses of the external functions of the code, by name."""
        return {
            self.code.name(symbol): self._base
            + self.places[symbol.section]
            + symbol.value
            for symbol in self.code.symbols
            # The upper half of `info` is the binding; 0 is local.
            if symbol.section in self.places and symbol.info >> 4
        }


class LinkedObjects:
    """Object files in memory, of which each may call functions of those before it."""

    def __init__(self, files: Sequence[bytes], symbols: Mapping[str, int]):
        self._objects: list[LinkedObject] = []
        self._functions: dict[str, int] = {}
        for data in files:
            code = ObjectFile.read(data)
            self._objects.append(LinkedObject(code, {**symbols, **self._functions}))
            self._functions |= self._objects[-1].functions()

    def address(self, name: str) -> int:
        """The address of an external function of the code."""
        if name not in self._functions:
            raise CompileError(f"the object code has no function '{name}'")
        return self._functions[name]


def _page(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE


@cache
def _mprotect() -> Callable[[int, int, int], int]:
    """The system's call, made once: it costs Python a class."""
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _protect(address: int, size: int, protection: int) -> None:
    if not size:
        return
    if _mprotect()(address, size, protection):
        raise CompileError(
            f"the system refuses executable memory (error {ctypes.get_errno()})"
        )
