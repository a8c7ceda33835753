"""A linker for the object files that LLVM makes, into the running process.

It spares a process that only runs programs LLVM, whose library costs 40 MB and a tenth of a
second. It implements the ELF of the System V ABI: sections are laid out in private memory,
relocations are applied, and code becomes read-only before it runs. Calls out of the object
go through stubs, since the C library may be out of reach of a relative call. Linux makes the
caches of AArch64 coherent when a page becomes executable that was not before.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from devproc.errors import CompileError
from devproc.targets.cpu.object_file import (
    ABSOLUTE,
    ALLOCATED,
    EXECUTE,
    NOBITS,
    UNDEFINED,
    WRITE,
    ObjectFile,
    Reference,
)
from devproc.targets.cpu.relocations import Architecture, Patch

STUB_SIZE, ADDRESS_SIZE = 16, 8


@dataclass
class LinkedObject:
    """An object file in memory, ready to run; its memory is freed with this object.

    `symbols` are addresses that the code refers to besides those that the process exports.
    """

    code: ObjectFile
    symbols: Mapping[str, int]
    places: dict[int, int] = field(default_factory=dict)
    """The offset of each section in the memory."""

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
        """Places the sections with these flags; returns their end."""
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
        """Copies the sections, writes stubs and the address table, applies relocations."""
        memory, code = self._memory, self.code
        for number, place in self.places.items():
            section = code.sections[number]
            if section.kind != NOBITS:
                memory[place : place + section.size] = code.content(section)
        for number, stub in self._stubs.items():
            content = code.architecture.stub + struct.pack("<Q", addresses[number])
            memory[stub : stub + len(content)] = content
        struct.pack_into(f"<{len(addresses)}Q", memory, self._table, *addresses)
        for reference in code.references():
            self._apply(reference, addresses)

    def _apply(self, reference: Reference, addresses: list[int]) -> None:
        section, offset, kind, number, addend = reference
        place, target = self.places[section] + offset, addresses[number]
        architecture = self.code.architecture
        if kind in architecture.table:
            target = self._base + self._table + ADDRESS_SIZE * number
        elif kind in architecture.calls and number in self._stubs:
            target = self._base + self._stubs[number]
        patch = Patch(self._memory, place, self._base + place, kind, target + addend)
        if not architecture.apply(patch):
            name = self.code.name(self.code.symbols[number])
            raise CompileError(
                f"cannot link the object code: symbol '{name}' is out of reach"
            )

    def functions(self) -> dict[str, int]:
        """The addresses of the external functions of the code, by name."""
        # The upper half of `info` is the binding; 0 is local.
        return {
            self.code.name(s): self._base + self.places[s.section] + s.value
            for s in self.code.symbols
            if s.section in self.places and s.info >> 4
        }


class LinkedObjects:
    """Object files in memory, each of which may call functions of preceding ones."""

    def __init__(
        self,
        files: Sequence[bytes],
        symbols: Mapping[str, int],
        architecture: Architecture | None = None,
    ):
        self._objects: list[LinkedObject] = []
        self._functions: dict[str, int] = {}
        for data in files:
            code = ObjectFile.read(data, architecture)
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
    """The system call, created once: ctypes makes a class for it."""
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
