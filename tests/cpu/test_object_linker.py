"""The linker: every kind of section and reference, beside LLVM's own linker."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest

from devproc.errors import CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.targets.cpu.jit import JITLibrary, compile_object
from devproc.targets.cpu.machine import cpu_target
from devproc.targets.cpu.machine.cpu_target import CPUTarget, required_cpu
from devproc.targets.cpu.machine.processors import RequiredCPU
from devproc.targets.cpu.machine.this_machine import why_not_here
from devproc.targets.cpu.native_library import NativeLibrary
from devproc.targets.cpu.object_file import NOBITS, RELA, SYMTAB, ObjectFile
from devproc.targets.cpu.object_linker import LinkedObjects

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the linker is for x86-64"
)

PARTS = """
@table = private constant [3 x i64] [i64 11, i64 13, i64 17], align 64
@counter = internal global i64 5, align 64
@zeros = internal global [1000 x i64] zeroinitializer, align 64
@shared = global i64 7, align 8
@pointers = internal global [2 x ptr] [ptr @counter, ptr @double]
@outside = external global i64
declare i64 @labs(i64)
declare i64 @given(i64)

define i64 @double(i64 %x) noinline { %y = shl i64 %x, 1  ret i64 %y }

define void @f(ptr %out, i64 %i) {
  %t = getelementptr [3 x i64], ptr @table, i64 0, i64 %i
  %a = load i64, ptr %t
  %c = load volatile i64, ptr @counter
  %next = add i64 %c, 1
  store volatile i64 %next, ptr @counter
  %z = getelementptr [1000 x i64], ptr @zeros, i64 0, i64 999
  %b = load volatile i64, ptr %z
  store volatile i64 %next, ptr %z
  %p = getelementptr [2 x ptr], ptr @pointers, i64 0, i64 1
  %call = load volatile ptr, ptr %p
  %d = call i64 %call(i64 %c)
  %e = call i64 @labs(i64 -3)
  %g = call i64 @given(i64 %i)
  %s = load volatile i64, ptr @shared
  %o = load volatile i64, ptr @outside
  %1 = add i64 %a, %b
  store i64 %1, ptr %out
  %o1 = getelementptr i64, ptr %out, i64 1
  store i64 %d, ptr %o1
  %2 = add i64 %e, %g
  %o2 = getelementptr i64, ptr %out, i64 2
  store i64 %2, ptr %o2
  %3 = mul i64 %s, %o
  %o3 = getelementptr i64, ptr %out, i64 3
  store i64 %3, ptr %o3
  ret void
}
"""

NO_CACHE = ObjectCache(None)
PROGBITS = 1
"""The kind of a section with content, such as code."""

Given = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


@Given
def given(x: int) -> int:
    return 100 * x


VALUE = ctypes.c_int64(19)
SYMBOLS = {
    "given": ctypes.cast(given, ctypes.c_void_p).value or 0,
    "outside": ctypes.addressof(VALUE),
}


def results(library: LinkedObjects | JITLibrary) -> list[list[int]]:
    """What a few calls of `f` write."""
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(
        library.address("f")
    )
    found: list[list[int]] = []
    for i in range(3):
        out = (ctypes.c_int64 * 4)()
        function(ctypes.addressof(out), i)
        found.append(list(out))
    return found


def test_every_kind_of_section_and_reference() -> None:
    code = compile_object(PARTS, cache=NO_CACHE)
    linked = LinkedObjects([code], SYMBOLS)
    wanted = [
        [table + before, 2 * (5 + i), 3 + 100 * i, 7 * 19]
        for i, (table, before) in enumerate([(11, 0), (13, 6), (17, 7)])
    ]
    assert results(linked) == wanted
    assert results(JITLibrary([code], SYMBOLS)) == wanted
    # Each library has data of its own.
    assert results(LinkedObjects([code], SYMBOLS)) == wanted
    shared = ctypes.c_int64.from_address(linked.address("shared"))
    shared.value = 2
    assert results(linked)[0][3] == 2 * 19


CALLER = """
declare hidden void @f(ptr, i64)
define void @g(ptr %out, i64 %i) {
  %j = add i64 %i, 1
  call void @f(ptr %out, i64 %j)
  ret void
}
"""


@pytest.mark.parametrize("library", [LinkedObjects, JITLibrary])
def test_a_file_calls_functions_of_another(
    library: type[LinkedObjects] | type[JITLibrary],
) -> None:
    """Functions that only their own file names may have the same name."""
    files = [compile_object(ir, cache=NO_CACHE) for ir in (PARTS, CALLER)]
    linked = library(files, SYMBOLS)
    outs = [(ctypes.c_int64 * 4)() for _ in range(2)]
    for out, (name, i) in zip(outs, [("f", 1), ("g", 0)], strict=True):
        address = linked.address(name)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(address)
        function(ctypes.addressof(out), i)
    assert list(outs[0]) == [13, 2 * 5, 3 + 100, 7 * 19]
    # The calls count in one place: a file is loaded once.
    assert list(outs[1]) == [13 + 6, 2 * 6, 3 + 100, 7 * 19]


def test_files_stand_in_the_order_of_their_calls() -> None:
    files = [compile_object(ir, cache=NO_CACHE) for ir in (CALLER, PARTS)]
    with pytest.raises(CompileError, match="no symbol 'f'"):
        LinkedObjects(files, SYMBOLS)


@pytest.mark.parametrize("name", ["counter", "nowhere"])
def test_only_external_functions_have_addresses(name: str) -> None:
    library = NativeLibrary([compile_object(PARTS, cache=NO_CACHE)], SYMBOLS)
    with pytest.raises(CompileError, match=f"no function '{name}'"):
        library.address(name)


def test_what_cannot_be_linked() -> None:
    code = compile_object(PARTS, cache=NO_CACHE)
    with pytest.raises(CompileError, match="no symbol 'given'"):
        NativeLibrary([code], {})
    arm = compile_object(
        "define void @f() {\n  ret void\n}",
        CPUTarget("aarch64-unknown-linux-gnu", "generic"),
        cache=NO_CACHE,
    )
    with pytest.raises(CompileError, match="no ELF file of x86-64"):
        ObjectFile.read(arm)
    whole = ObjectFile.read(code)
    rela = next(s for s in whole.sections if s.kind == 4)
    changed = bytearray(code)
    struct.pack_into("<I", changed, rela.offset + 8, 99)
    with pytest.raises(CompileError, match="references of kind 99"):
        LinkedObjects([bytes(changed)], SYMBOLS)


def test_machine_knows_the_features_that_llvm_reports() -> None:
    required = required_cpu("native")
    assert cpu_target.why_not_here(required) is None
    assert why_not_here(required) is None
    more = replace(required, features=(*required.features, "amx-tile-2"))
    assert "this machine lacks: amx-tile-2" in str(why_not_here(more))
    arm = why_not_here(RequiredCPU("aarch64", "aarch64", ()))
    assert "(aarch64), this machine is x86_64" in str(arm)


SMALL = """
declare i64 @time(ptr)
define i64 @f() { %y = call i64 @time(ptr null)  ret i64 %y }
"""


def field(number: int, place: int) -> int:
    """Where a field of a section's row lies, from the beginning of `SMALL`'s file."""
    code = compile_object(SMALL, cache=NO_CACHE)
    (start,) = struct.unpack_from("<Q", code, 0x28)
    return start + 64 * number + place


def section(kind: int) -> int:
    """The number of the first section of `SMALL` of a kind."""
    whole = ObjectFile.read(compile_object(SMALL, cache=NO_CACHE))
    return next(i for i, s in enumerate(whole.sections) if s.kind == kind)


DAMAGES = (
    (lambda: 0x3A, "<H", 7, "a section is described in 7 bytes"),
    (lambda: 0x3C, "<H", 60000, "the table of sections lies outside of the file"),
    (lambda: 0x28, "<Q", 1 << 63, "the table of sections lies outside of the file"),
    (lambda: 0x10, "<H", 2, "no ELF file of x86-64"),
    (lambda: field(section(SYMTAB), 4), "<I", 0, "it has 0 tables of symbols"),
    (lambda: field(section(SYMTAB), 0x20), "<Q", 1 << 40, "lies outside of the file"),
    (lambda: field(section(SYMTAB), 0x20), "<Q", 25, "symbols ends within a row"),
    (lambda: field(section(SYMTAB), 0x28), "<I", 99, "names of its symbols lie in no"),
    (lambda: field(section(SYMTAB), 0x30), "<Q", 3, "is aligned to 3 bytes"),
    (
        lambda: field(section(RELA), 0x2C),
        "<I",
        99,
        "references are those of no section",
    ),
    (lambda: field(section(PROGBITS), 8), "<Q", 7, "code that may be written to"),
    (lambda: field(section(PROGBITS), 4), "<I", NOBITS, None),
)
"""Place, format, value of a field, and the message; None where there is no damage."""


@pytest.mark.parametrize(("place", "format_", "value", "message"), DAMAGES)
def test_damaged_tables(
    place: Callable[[], int], format_: str, value: int, message: str | None
) -> None:
    changed = bytearray(compile_object(SMALL, cache=NO_CACHE))
    struct.pack_into(format_, changed, place(), value)
    if message is None:
        NativeLibrary([bytes(changed)], {})
        return
    with pytest.raises(CompileError, match=message):
        NativeLibrary([bytes(changed)], {})


def test_sections_larger_than_memory() -> None:
    """A section without content is made of nothing; its size is not believed."""
    changed = bytearray(compile_object(SMALL, cache=NO_CACHE))
    number = section(PROGBITS)
    struct.pack_into("<I", changed, field(number, 4), NOBITS)
    struct.pack_into("<Q", changed, field(number, 0x20), 1 << 40)
    with pytest.raises(CompileError, match="bytes of memory, at most"):
        NativeLibrary([bytes(changed)], {})


def test_damaged_symbols_and_references() -> None:
    code = compile_object(SMALL, cache=NO_CACHE)
    whole = ObjectFile.read(code)
    symbols, references = whole.sections[section(SYMTAB)], whole.sections[section(RELA)]
    number = next(i for i, s in enumerate(whole.symbols) if whole.name(s) == "f")
    row = symbols.offset + 24 * number
    for place, format_, value, message in (
        (row, "<I", 1 << 31, "the name of a symbol has no end"),
        (row + 6, "<H", 4000, "symbol 'f' lies in no section"),
        (row + 8, "<Q", 1 << 20, "symbol 'f' lies outside of its section"),
        (references.offset, "<Q", 1 << 20, "a reference lies outside of its section"),
        (references.offset, "<Q", (1 << 64) - 1, "lies outside of its section"),
        (references.offset + 12, "<I", 999, "is to symbol 999, which it lacks"),
        (references.offset + 16, "<q", 1 << 62, "symbol 'time' is out of reach"),
    ):
        changed = bytearray(code)
        struct.pack_into(format_, changed, place, value)
        with pytest.raises(CompileError, match=message):
            NativeLibrary([bytes(changed)], {})


def test_object_files_that_end_early() -> None:
    code = compile_object(SMALL, cache=NO_CACHE)
    for end in range(0, len(code), 7):
        with pytest.raises(CompileError):
            NativeLibrary([code[:end]], {})
