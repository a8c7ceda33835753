"""Relocations: how the address of a symbol enters the code of a processor.

The kinds are those that LLVM emits for position-independent code, with the numbers of the
ELF supplements of the two processors.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from mmap import mmap

ABS64, PC32, PLT32, GOTPCREL, PC64, GOTPCRELX, REX_GOTPCRELX = 1, 2, 4, 9, 24, 41, 42
"""Kinds of x86-64; the GOT is a table of addresses."""

A64_ABS64, A64_PREL64, A64_PREL32 = 257, 260, 261
A64_PAGE, A64_GOT_PAGE, A64_GOT_LOW = 275, 311, 312
A64_JUMP, A64_CALL = 282, 283
"""Kinds of AArch64: data, the page of an address (`adrp`), branches."""

A64_LOW = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4, A64_GOT_LOW: 3}
"""Kinds of AArch64 that are the place in a page, for `add`, loads and stores -> the binary
logarithm of the unit that it is counted in."""


@dataclass(frozen=True)
class Patch:
    """A place in memory, at address `here`, that is to hold an address or the way to it."""

    memory: mmap
    place: int
    here: int
    kind: int
    target: int

    def write(self, value: int, size: int) -> bool:
        """Stores a signed number; returns whether it fits."""
        bits = 8 * size
        if size < 8 and not -(1 << bits - 1) <= value < 1 << bits - 1:
            return False
        content = (value % (1 << bits)).to_bytes(size, "little")
        self.memory[self.place : self.place + size] = content
        return True

    def insert(self, mask: int, bits: int) -> None:
        """Replaces the bits of a mask in an instruction of 32 bits."""
        (word,) = struct.unpack_from("<I", self.memory, self.place)
        struct.pack_into("<I", self.memory, self.place, word & ~mask | bits & mask)


@dataclass(frozen=True, eq=False)
class Architecture:
    """A processor whose object files are linked."""

    title: str
    machine: int
    """Its number in the header of an ELF file."""
    stub: bytes
    """Code that jumps to the address that follows it."""
    sizes: Mapping[int, int]
    """Kind of relocation -> the bytes that it patches."""
    table: frozenset[int]
    """The kinds that refer to the entry of a symbol in the table of addresses."""
    calls: frozenset[int]
    """The kinds that may go through a stub."""
    apply: Callable[[Patch], bool]
    """Applies a relocation; returns whether the target is in reach."""


def _apply_x86_64(patch: Patch) -> bool:
    if patch.kind == ABS64:
        return patch.write(patch.target, 8)
    size = 8 if patch.kind == PC64 else 4
    return patch.write(patch.target - patch.here, size)


def _apply_aarch64(patch: Patch) -> bool:
    kind, target, distance = patch.kind, patch.target, patch.target - patch.here
    if kind == A64_ABS64:
        return patch.write(target, 8)
    if kind in (A64_PREL64, A64_PREL32):
        return patch.write(distance, 8 if kind == A64_PREL64 else 4)
    if kind in (A64_JUMP, A64_CALL):
        patch.insert(0x03FFFFFF, distance >> 2)
        return not distance % 4 and -(1 << 27) <= distance < 1 << 27
    if kind in (A64_PAGE, A64_GOT_PAGE):
        pages = (target >> 12) - (patch.here >> 12)
        patch.insert(0x60FFFFE0, (pages & 3) << 29 | (pages >> 2) << 5)
        return -(1 << 20) <= pages < 1 << 20
    shift, low = A64_LOW[kind], target & 0xFFF
    patch.insert(0x003FFC00, low >> shift << 10)
    return not low % (1 << shift)


X86_64 = Architecture(
    "x86-64",
    62,
    bytes((0xFF, 0x25, 0, 0, 0, 0)),  # jmp *(%rip)
    {
        **dict.fromkeys((ABS64, PC64), 8),
        **dict.fromkeys((PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX), 4),
    },
    frozenset((GOTPCREL, GOTPCRELX, REX_GOTPCRELX)),
    frozenset((PC32, PLT32)),
    _apply_x86_64,
)

AARCH64 = Architecture(
    "AArch64",
    183,
    struct.pack("<2I", 0x58000050, 0xD61F0200),  # ldr x16, #8; br x16
    {
        **dict.fromkeys((A64_ABS64, A64_PREL64), 8),
        **dict.fromkeys((A64_PREL32, A64_PAGE, A64_GOT_PAGE, A64_JUMP, A64_CALL), 4),
        **dict.fromkeys(A64_LOW, 4),
    },
    frozenset((A64_GOT_PAGE, A64_GOT_LOW)),
    frozenset((A64_JUMP, A64_CALL)),
    _apply_aarch64,
)


def this_architecture() -> Architecture | None:
    """That of this process; None where another linker is needed."""
    if platform.system() != "Linux":
        return None
    return {"x86_64": X86_64, "aarch64": AARCH64}.get(platform.machine())
