"""Reads machine code: registers, spills, and the instructions of a kernel and its loops.

The CUDA tools in Triton's wheel print a cubin as SASS, so this needs no GPU. Opcodes and
their modifiers are those of NVIDIA's "CUDA Binary Utilities".
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devproc.errors import CompileError
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.triton.archs import SPECIFIC, capability

THREADS = 32
"""Threads of a warp."""

MOST_REGISTERS = 255
"""Of a thread."""

LINE = re.compile(
    r"^\s*/\*([0-9a-f]+)\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;", re.M
)
"""A line of nvdisasm: an address, a predicate, an opcode and its operands."""

SECTION_TABLE, SECTION = struct.Struct("<HHH"), struct.Struct("<I20xQQ")
"""Parts of an ELF file of 64 bits: in its header the size and number of section headers and
the one of their names, from byte 58 on; in a section header the name, offset and size."""

WIDTH = re.compile(r"\.(?:([SU]8|[SU]16)|(64|128))\b")
SHAPE = re.compile(r"H(?:GMMA\.64x(\d+)x|MMA\.168)(\d+)")
"""The tile of a tensor-core instruction: 64 x n x k of four warps, or 16 x 8 x k of one."""

MEMORY = frozenset({"LDG", "STG", "LDGSTS", "LDS", "STS", "LDL", "STL"})
TENSOR_CORE = frozenset({"HMMA", "HGMMA", "IMMA", "IGMMA", "DMMA", "UTCHMMA"})
MULTIPLY_ADDS = {"FFMA": THREADS, "DFMA": THREADS, "FFMA2": 2 * THREADS}


@dataclass(frozen=True)
class Instruction:
    """One machine instruction: `LDG.E.128`, and its operands as text."""

    opcode: str
    operands: str

    @property
    def base(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.partition(".")[0]

    @property
    def width(self) -> int:
        """The bytes that each thread moves; 0 if it does not access memory."""
        if self.base not in MEMORY:
            return 0
        found = WIDTH.search(self.opcode)
        if found is None:
            return 4
        narrow, wide = found.groups()
        return int(narrow[1:]) // 8 if narrow else int(wide) // 8

    @property
    def multiply_adds(self) -> int:
        """Those that it computes for each warp; 0 for a shape that the text lacks."""
        found = SHAPE.match(self.opcode)
        if found is None:
            return MULTIPLY_ADDS.get(self.base, 0)
        columns, depth = found.groups()
        # A warp has 16 of the 64 rows of its four.
        return 16 * (int(columns) if columns else 8) * int(depth)

    @property
    def kind(self) -> str:
        """How a mix of instructions lists it: `LDG.128`, `LDG.U16`, `HGMMA`."""
        if self.base not in MEMORY:
            return self.base
        names = {16: "128", 8: "64", 4: "32", 2: "U16", 1: "U8"}
        return f"{self.base}.{names[self.width]}"


@dataclass(frozen=True)
class MachineLoop:
    """The instructions of a loop: those between a backward branch and its target."""

    begin: int
    end: int
    """The position after the branch."""
    is_innermost: bool
    skipped: int = 0
    """Instructions that branches within the loop skip in some iterations."""


def mix(instructions: Iterable[Instruction]) -> Mapping[str, int]:
    """Kind of instruction -> count, the most frequent first."""
    return dict(Counter(i.kind for i in instructions).most_common())


@dataclass(frozen=True)
class MachineCode:
    """The machine code of a kernel, and the resources that one program takes."""

    registers: int
    """Of each thread."""
    spilled_bytes: int
    """The stack of each thread."""
    shared_bytes: int
    warps: int
    instructions: Sequence[Instruction]
    loops: Sequence[MachineLoop]
    """In the order of their first instructions."""

    @lazy_property
    def mix(self) -> Mapping[str, int]:
        """Kind of instruction -> count, in the whole kernel."""
        return mix(self.instructions)

    @lazy_property
    def opcodes(self) -> Mapping[str, int]:
        """Opcode without modifiers -> count."""
        return Counter(instruction.base for instruction in self.instructions)

    def count(self, *opcodes: str) -> int:
        """The number of instructions with one of these opcodes, without modifiers."""
        return sum(self.opcodes.get(opcode, 0) for opcode in opcodes)

    def body(self, loop: MachineLoop) -> Sequence[Instruction]:
        """The instructions of a loop."""
        return self.instructions[loop.begin : loop.end]

    @lazy_property
    def innermost(self) -> Sequence[MachineLoop]:
        """The loops that contain no other."""
        return [loop for loop in self.loops if loop.is_innermost]

    @lazy_property
    def hot_loop(self) -> Sequence[Instruction]:
        """The innermost loop with the most multiply-adds, of equal ones the longest;
        without loops, all instructions."""
        bodies = [self.body(loop) for loop in self.innermost]
        return max(bodies, key=_weight, default=self.instructions)


def _weight(body: Sequence[Instruction]) -> tuple[int, int]:
    return sum(i.multiply_adds for i in body), len(body)


def read_machine_codes(
    kernels: Sequence[tuple[bytes, int, int]], arch: str
) -> list[MachineCode]:
    """The machine code of kernels of one architecture, each a cubin with one kernel, the
    shared bytes and the warps of a program.

    Raises CompileError if Triton does not ship the tools, or they fail. The code of all
    kernels is disassembled as one: nvdisasm takes longer to start than for a kernel.
    """
    codes = [_code_of(cubin) for cubin, _, _ in kernels]
    name = f"SM{capability(arch)}{'a' if capability(arch) >= SPECIFIC else ''}"
    lines = deque(LINE.findall(_tool(b"".join(codes), "nvdisasm", "-b", name)))
    found: list[MachineCode] = []
    end = 0
    for code, (cubin, shared_bytes, warps) in zip(codes, kernels, strict=True):
        end += len(code)
        own: list[tuple[str, str, str]] = []
        while lines and int(lines[0][0], 16) < end:
            own.append(lines.popleft())
        usage = registers_and_spills(cubin)
        found.append(MachineCode(*usage, shared_bytes, warps, *parse_lines(own)))
    return found


def _code_of(cubin: bytes) -> bytes:
    """The instructions of the kernel of a cubin."""
    table = int.from_bytes(cubin[40:48], "little")
    sizes: tuple[int, int, int] = SECTION_TABLE.unpack_from(cubin, 58)
    step, count, names = sizes
    headers: list[tuple[int, int, int]] = [
        SECTION.unpack_from(cubin, table + i * step) for i in range(count)
    ]
    texts = headers[names][1]
    (found,) = (
        cubin[offset : offset + size]
        for name, offset, size in headers
        if cubin.startswith(b".text.", texts + name)
    )
    return found


def parse_assembly(text: str) -> tuple[list[Instruction], list[MachineLoop]]:
    """The instructions and loops of what nvdisasm prints of one kernel."""
    return parse_lines(LINE.findall(text))


def parse_lines(
    lines: Sequence[tuple[str, str, str]],
) -> tuple[list[Instruction], list[MachineLoop]]:
    """The instructions and loops of addresses, opcodes and operands."""
    places = {int(address, 16): number for number, (address, _, _) in enumerate(lines)}
    instructions = [Instruction(opcode, operands) for _, opcode, operands in lines]
    jumps: list[tuple[int, int]] = []
    for number, (_, opcode, operands) in enumerate(lines):
        target = re.search(r"0x[0-9a-f]+$", operands) if opcode == "BRA" else None
        begin = places.get(int(target[0], 16)) if target else None
        if begin is not None:
            jumps.append((number + 1, begin))
    # The code ends with a branch to itself.
    spans = [(begin, end) for end, begin in jumps if begin < end - 1]
    spans.sort(key=lambda span: (span[0], -span[1]))
    return instructions, [
        MachineLoop(
            *span, not any(_is_within(s, span) for s in spans), _skipped(span, jumps)
        )
        for span in spans
    ]


def _skipped(loop: tuple[int, int], jumps: Sequence[tuple[int, int]]) -> int:
    """The instructions of a loop that forward jumps within it leave out."""
    inside = [jump for jump in jumps if _is_within(jump, loop)]
    return len(set[int]().union(*(range(*jump) for jump in inside)))


def _is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]


def registers_and_spills(cubin: bytes) -> tuple[int, int]:
    """Registers of a thread, and the bytes of its stack frame, which are spilled ones."""
    usage = _tool(cubin, "cuobjdump", "-res-usage")
    found = re.search(r"REG:(\d+) STACK:(\d+)", usage)
    if found is None:
        raise CompileError(f"cuobjdump shows no resource usage:\n{usage}")
    return int(found[1]), int(found[2])


def _tool(cubin: bytes, name: str, *arguments: str) -> str:
    """What a tool of Triton's wheel prints about a cubin."""
    import triton.backends.nvidia as nvidia  # pyright: ignore[reportMissingTypeStubs]

    folders = [Path(folder) / "bin" for folder in nvidia.__path__]
    path = next((f / name for f in folders if (f / name).exists()), None)
    if path is None:
        raise CompileError(f"this Triton does not ship '{name}'")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [path, *arguments, file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(f"{name} failed: {done.stderr.strip()}")
    return done.stdout
