"""The linker for AArch64: what it links runs under QEMU, as a program without a system."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.object_file import EXECUTE, RELA, ObjectFile
from devproc.targets.cpu.object_linker import LinkedObjects
from devproc.targets.cpu.relocations import AARCH64
from tests.repository import cpu_code

QEMU = shutil.which("qemu-aarch64")
TARGET = CPUTarget("aarch64-unknown-linux-gnu", "generic")
NO_CACHE = ObjectCache(None)

needs_qemu = pytest.mark.skipif(QEMU is None, reason="needs qemu-aarch64")

RETURN, PAD = 0xD4000001, 0xD503201F
"""`svc #0`, `nop`."""


def start(run: int, data: np.ndarray) -> bytes:
    """Code that calls `run` with the address of the data, writes the data and ends."""

    def load(register: int, place: int, literal: int) -> int:
        """`ldr`, relative to the instruction."""
        return 0x58000000 | (12 + 2 * literal - place) << 5 | register

    def move(register: int, value: int) -> int:
        return 0xD2800000 | value << 5 | register

    call = (load(0, 0, 0), load(16, 1, 1), 0xD63F0200)  # blr x16
    write = (move(0, 1), load(1, 4, 0), load(2, 5, 2), move(8, 64), RETURN)
    leave = (move(0, 0), move(8, 93), RETURN)
    code = struct.pack("<12I", *call, *write, *leave, PAD)
    return code + struct.pack("<3Q", data.ctypes.data, run, data.nbytes)


def code_of(text: str) -> bytes:
    options = CompileOptions(2)
    return compile_object(text, TARGET, options, NO_CACHE)


def execute(files: Sequence[bytes], data: np.ndarray, folder: Path) -> bytes:
    """The data after the last file's `run` was called with its address under QEMU."""
    linked = LinkedObjects(files, {}, AARCH64)
    parts = [
        (part._base, bytes(part._memory))  # pyright: ignore[reportPrivateUsage]
        for part in linked._objects  # pyright: ignore[reportPrivateUsage]
    ]
    entry = data_of(mmap.PAGESIZE)
    parts.append((entry.ctypes.data, start(linked.address("run"), data)))
    parts.append((data.ctypes.data, data.tobytes()))
    path = folder / "program"
    path.write_bytes(executable(entry.ctypes.data, parts))
    path.chmod(0o755)
    assert QEMU is not None
    done = subprocess.run([QEMU, path], capture_output=True, check=False)
    assert done.returncode == 0, done
    return done.stdout


def executable(entry: int, parts: Sequence[tuple[int, bytes]]) -> bytes:
    """An ELF program of memory at fixed addresses."""
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = (2, AARCH64.machine, 1, entry, 64, 0, 0, 64, 56, len(parts), 64, 0, 0)
    begin = mmap.PAGESIZE
    rows, contents = b"", b""
    for address, content in sorted(parts):
        size = -(-len(content) // mmap.PAGESIZE) * mmap.PAGESIZE
        place = (begin + len(contents), address, address, size, size, mmap.PAGESIZE)
        rows += struct.pack("<2I6Q", 1, 7, *place)
        contents += content.ljust(size, b"\0")
    head = ident + struct.pack("<HHIQQQIHHHHHH", *header) + rows
    return head.ljust(begin, b"\0") + contents


def data_of(size: int) -> np.ndarray:
    """Zeroed memory from a page on."""
    memory = mmap.mmap(-1, size)
    array = np.frombuffer(memory, np.uint8)
    assert not array.ctypes.data % mmap.PAGESIZE
    return array


HELPERS = """
@outside = global i64 19
define i64 @labs(i64 %x) noinline { %y = call i64 @llvm.abs.i64(i64 %x, i1 0)  ret i64 %y }
define i64 @given(i64 %x) noinline { %y = mul i64 %x, 100  ret i64 %y }
declare i64 @llvm.abs.i64(i64, i1)
"""

PARTS = """
@table = private constant [3 x i64] [i64 11, i64 13, i64 17], align 64
@counter = internal global i64 5, align 64
@bytes = internal global [3 x i8] c"abc"
@pointers = internal global [2 x ptr] [ptr @counter, ptr @double]
@vector = private constant <4 x i32> <i32 1, i32 2, i32 3, i32 4>, align 16
@outside = external global i64
declare i64 @labs(i64)
declare i64 @given(i64)

define i64 @double(i64 %x) noinline { %y = shl i64 %x, 1  ret i64 %y }

define void @run(ptr %out) {
  %index = load volatile i64, ptr %out
  %t = getelementptr [3 x i64], ptr @table, i64 0, i64 %index
  %a = load i64, ptr %t
  store i64 %a, ptr %out
  %c = load volatile i64, ptr @counter
  %p = getelementptr [2 x ptr], ptr @pointers, i64 0, i64 1
  %f = load volatile ptr, ptr %p
  %d = call i64 %f(i64 %c)
  %o1 = getelementptr i64, ptr %out, i64 1
  store i64 %d, ptr %o1
  %e = call i64 @labs(i64 -3)
  %g = call i64 @given(i64 %e)
  %o2 = getelementptr i64, ptr %out, i64 2
  store i64 %g, ptr %o2
  %o = load volatile i64, ptr @outside
  %o3 = getelementptr i64, ptr %out, i64 3
  store i64 %o, ptr %o3
  %b1 = getelementptr [3 x i8], ptr @bytes, i64 0, i64 1
  %b = load volatile i8, ptr %b1
  %bw = zext i8 %b to i64
  %o4 = getelementptr i64, ptr %out, i64 4
  store i64 %bw, ptr %o4
  %v = load volatile <4 x i32>, ptr @vector
  %o5 = getelementptr i64, ptr %out, i64 5
  store <4 x i32> %v, ptr %o5
  ret void
}
"""


@needs_qemu
def test_every_kind_of_reference(tmp_path: Path) -> None:
    data = data_of(mmap.PAGESIZE)
    data.view(np.int64)[0] = 2
    found = execute([code_of(HELPERS), code_of(PARTS)], data, tmp_path)
    numbers = np.frombuffer(found, np.int64)
    assert numbers[:5].tolist() == [17, 10, 300, 19, ord("b")]
    vector = np.frombuffer(found, np.int32)[10:14]
    assert vector.tolist() == [1, 2, 3, 4]


class Net(nn.Module):
    """Several kernels with constants in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(37, 19)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(torch.sin(self.linear(x)), -1).sort(-1).values


class Memory:
    """Data at increasing addresses."""

    def __init__(self) -> None:
        self.data, self._end = data_of(1 << 16), 0

    def place(self, content: bytes) -> int:
        """The address of a copy, at a cache line."""
        begin = self._end
        self.data[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
        self._end += -(-len(content) // 64) * 64
        return self.data.ctypes.data + begin


@needs_qemu
def test_a_program(tmp_path: Path) -> None:
    """Its results are PyTorch's."""
    torch.manual_seed(0)
    model, x = Net().eval(), torch.randn(3, 37)
    program = devproc.compile(
        torch.export.export(model, (x,)), cpu="aarch64", threads=1, cache=False
    )
    host, wanted = program.artifact.host, model(x).detach().numpy()
    (step,) = host.steps
    memory = Memory()
    result = memory.place(bytes(wanted.nbytes))
    arena = memory.place(bytes(host.arenas["cpu"]))
    table: list[int] = []
    for slot in (host.slots[number] for number in step.slots):
        given = x.numpy() if slot.kind == "input" else None
        if slot.kind == "weight":
            given = program.weights.array(slot.key)
        place = arena + slot.offset if slot.kind == "buffer" else result
        table.append(place if given is None else memory.place(given.tobytes()))
    pointers = memory.place(struct.pack(f"<{len(table)}Q", *table))
    run = f"""
    declare hidden void @{step.symbol}_entry(ptr)
    define void @run(ptr %data) {{
      %table = getelementptr i8, ptr %data, i64 {pointers - result}
      call void @{step.symbol}_entry(ptr %table)
      ret void
    }}
    """
    found = execute([*cpu_code(program).objects, code_of(run)], memory.data, tmp_path)
    rows = np.frombuffer(found[: wanted.nbytes], np.float32).reshape(wanted.shape)
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)


CALL = """
declare i64 @other(i64)
define i64 @f(i64 %x) { %y = call i64 @other(i64 %x)  %z = add i64 %y, 1  ret i64 %z }
"""


def test_code_of_another_processor_is_refused() -> None:
    with pytest.raises(CompileError, match="no ELF file of AArch64"):
        LinkedObjects([compile_object(HELPERS, cache=NO_CACHE)], {}, AARCH64)


def test_a_call_out_of_reach() -> None:
    code = bytearray(code_of(CALL))
    LinkedObjects([bytes(code)], {"other": 64}, AARCH64)
    whole = ObjectFile.read(bytes(code), AARCH64)
    tables = (s for s in whole.sections if s.kind == RELA)
    (place,) = (s.offset for s in tables if whole.sections[s.info].flags & EXECUTE)
    struct.pack_into("<q", code, place + 16, 1 << 27)
    with pytest.raises(CompileError, match="symbol 'other' is out of reach"):
        LinkedObjects([bytes(code)], {"other": 64}, AARCH64)
