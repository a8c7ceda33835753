"""LLVM IR to code: targets, errors before LLVM sees them, libraries and their life."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import cast

import llvmlite.binding as llvm
import numpy as np
import pytest
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    VectorType,
)

from devproc.errors import CompileError
from devproc.ir.garbage import own_garbage_collected
from devproc.ir.object_cache import ObjectCache
from devproc.targets.cpu.jit import (
    CompileOptions,
    CPUTarget,
    assembly,
    compile_object,
    optimized_ir,
)
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.native_code import SegmentCode
from devproc.targets.cpu.native_library import NativeLibrary
from devproc.targets.cpu.transforms.convert_to_llvm import ConvertToLlvmPass
from tests.cpu.native import NO_CACHE, call, lower
from tests.cpu.test_convert_to_llvm import binary, parallel
from tests.repository import context, parse

ADD_ONE = """
define void @segment_0_entry(ptr %table) nounwind {
  %p = load ptr, ptr %table, align 8
  %x = load i64, ptr %p, align 8
  %y = add i64 %x, 1
  store i64 %y, ptr %p, align 8
  ret void
}
"""
ROWS = """
define void @add_rows(ptr %p, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr [3 x i64], ptr %p, i64 %i
  %x = load i64, ptr %q, align 8
  %r = getelementptr i64, ptr %q, i64 1
  store i64 %x, ptr %r, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
"""
LINUX = "x86_64-unknown-linux-gnu"


def test_entry_runs() -> None:
    x = np.array([41])
    call(SegmentCode([compile_object(ADD_ONE, cache=NO_CACHE)]), x)
    assert x[0] == 42


def test_llvm_is_left_as_it_was() -> None:
    """Another user of llvmlite gets the same code before and after a compilation."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()

    def code() -> str:
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        return machine.emit_assembly(llvm.parse_assembly(ROWS))

    before = code()
    with pytest.raises(CompileError):
        assembly("no IR")
    assembly(ROWS)
    assert code() == before
    # The switch makes a difference here, so the comparison above could fail.
    llvm.set_option("devproc", "-disable-lsr=true")
    without = code()
    llvm.set_option("devproc", "-disable-lsr=false")
    assert without != before


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels_agree(level: int) -> None:
    ir = print_module(lower(binary("arith.mulf", "f32", 16)))
    code = compile_object(ir, options=CompileOptions(level), cache=NO_CACHE)
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    call(SegmentCode([code]), x, x, y)
    np.testing.assert_array_equal(y, x * x)


def test_entry_keeps_its_code_loaded() -> None:
    with own_garbage_collected():
        code = SegmentCode([compile_object(ADD_ONE, cache=NO_CACHE)])
        entry = code.entry("segment_0")
        del code
    others = [SegmentCode([compile_object(ADD_ONE, cache=NO_CACHE)]) for _ in range(20)]
    x = np.array([1])
    table = (ctypes.c_void_p * 1)(x.ctypes.data)
    entry(ctypes.addressof(table))
    assert x[0] == 2
    assert len(others) == 20


def test_libraries_do_not_see_each_other() -> None:
    """The same names in two libraries are two functions."""
    first = SegmentCode([compile_object(ADD_ONE, cache=NO_CACHE)])
    second = SegmentCode(
        [compile_object(ADD_ONE.replace("1\n", "5\n"), cache=NO_CACHE)]
    )
    x = np.array([0])
    call(first, x)
    call(second, x)
    call(first, x)
    assert x[0] == 7


def test_missing_entry_and_missing_symbol() -> None:
    library = NativeLibrary([compile_object(ADD_ONE, cache=NO_CACHE)])
    with pytest.raises(CompileError, match="no function 'other'"):
        library.address("other")
    ir = "declare void @nowhere()\ndefine void @f() {\n call void @nowhere()\n ret void\n}"
    with pytest.raises(CompileError, match=r"(symbol 'nowhere'|no function 'f')"):
        NativeLibrary([compile_object(ir, cache=NO_CACHE)]).address("f")


@pytest.mark.parametrize(
    "ir",
    [
        "define void @f() {",
        "define void @f() {\n  %x = add i32 %y, 1\n  ret void\n}",
        "define i32 @f() {\n  ret i64 0\n}",
        "define void @f() {\n  call void @llvm.no.such.thing()\n  ret void\n}",
    ],
)
def test_broken_ir_is_an_error(ir: str) -> None:
    with pytest.raises(CompileError):
        compile_object(ir, cache=NO_CACHE)


X86 = """
define void @f(ptr %p) {
  %x = load <16 x float>, ptr %p, align 4
  %y = call <16 x float> @llvm.x86.avx512.max.ps.512(
      <16 x float> %x, <16 x float> %x, i32 4)
  store <16 x float> %y, ptr %p, align 4
  ret void
}
"""


def test_intrinsic_that_the_processor_lacks_is_refused() -> None:
    """LLVM itself would abort the process."""
    with pytest.raises(CompileError, match="avx512f"):
        compile_object(X86, CPUTarget(LINUX, "x86-64-v3"), cache=NO_CACHE)
    with_feature = CPUTarget(LINUX, "x86-64-v4", "+avx512f")
    assert compile_object(X86, with_feature, cache=NO_CACHE)


def test_unknown_intrinsics_are_refused() -> None:
    ir = "define void @f() {\n  call void @llvm.x86.mystery()\n  ret void\n}"
    with pytest.raises(CompileError, match=r"llvm\.x86\.mystery is not known"):
        compile_object(ir, cache=NO_CACHE)
    ir = "define void @f() {\n  call void @llvm.aarch64.hint(i32 1)\n  ret void\n}"
    with pytest.raises(CompileError, match="not known to work on x86_64"):
        compile_object(ir, CPUTarget(LINUX, "x86-64"), cache=NO_CACHE)


@pytest.mark.parametrize(
    ("triple", "cpu"),
    [(LINUX, "x86-64"), (LINUX, "x86-64-v4"), ("aarch64-unknown-linux-gnu", "generic")],
)
def test_compiles_for_other_machines(triple: str, cpu: str) -> None:
    """Vectors of any length are split as the processor needs."""
    ir = print_module(lower(binary("arith.mulf", "f32", 16)))
    code = compile_object(ir, CPUTarget(triple, cpu), cache=NO_CACHE)
    assert code.startswith(b"\x7fELF")


def test_unknown_target_is_an_error() -> None:
    with pytest.raises(CompileError, match="LLVM has no target"):
        compile_object(
            ADD_ONE, CPUTarget("pdp11-unknown-unix", "generic"), cache=NO_CACHE
        )


def test_vector_bits() -> None:
    assert CPUTarget(LINUX, "x86-64").vector_bits == 128
    assert CPUTarget(LINUX, "x86-64-v3").vector_bits == 256
    assert CPUTarget(LINUX, "x86-64-v4").vector_bits == 512
    assert CPUTarget(LINUX, "any", "+avx,+avx2,-avx512f").vector_bits == 256
    assert CPUTarget("aarch64-unknown-linux-gnu", "generic").vector_bits == 128


def test_texts_to_look_at() -> None:
    ir = print_module(lower(binary("arith.mulf", "f32", 16)))
    target = CPUTarget(LINUX, "x86-64-v4")
    assert "fmul <16 x float>" in optimized_ir(ir, target)
    assert "zmm" in assembly(ir, target)


def test_emitter_refuses_what_it_does_not_know() -> None:
    module = parse(
        """
        llvm.func @f(%x: vector<4xf32>, %p: !llvm.ptr) {
          llvm.store %x, %p : vector<4xf32>, !llvm.ptr
          llvm.return
        }
        """
    )
    with pytest.raises(CompileError, match="must state its alignment"):
        print_module(module)
    module = parse(
        "llvm.func @f() {\n  %x = arith.constant 0 : index\n  llvm.return\n}"
    )
    with pytest.raises(CompileError, match="has no form in LLVM IR"):
        print_module(module)


NUMBERS = [0.0, -0.0, 1.0, -1.5, 3.4e38, 1e-45, np.inf, -np.inf, np.nan, 0.1]


@pytest.mark.parametrize(
    ("element", "dtype"),
    [("f32", np.float32), ("f64", np.float64), ("f16", np.float16)],
)
def test_constants_are_exact(element: str, dtype: type) -> None:
    with np.errstate(over="ignore"):
        expected = np.array(NUMBERS).astype(dtype)
    text = f"""
    func.func private @segment_0(%y: memref<10x{element}>) {{
      %zero = arith.constant 0 : index
      %v = arith.constant dense<0.0> : vector<10x{element}>
      vector.store %v, %y[%zero] : memref<10x{element}>, vector<10x{element}>
      func.return
    }}
    """
    # xDSL cannot read such a constant, so it is put in here.
    module = parse(text)
    constant = next(op for op in module.walk() if str(op.results[:1]).count("vector"))
    type_ = cast(VectorType[Float32Type], constant.results[0].type)
    values = [float(v) for v in expected]
    constant.properties["value"] = DenseIntOrFPElementsAttr.from_list(type_, values)
    ConvertToLlvmPass().apply(context(), module)
    # Through the text, as between two stages.
    module = parse(str(module))
    y = np.zeros(10, dtype)
    call(SegmentCode([compile_object(print_module(module), cache=NO_CACHE)]), y)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(np.signbit(y), np.signbit(expected))


@pytest.mark.parametrize("value", ["0x7F800000", "0xFF800000", "0x7FC00000"])
def test_broadcast_of_infinities_survives_text(value: str) -> None:
    text = f"""
    func.func private @segment_0(%y: memref<8xf32>) {{
      %zero = arith.constant 0 : index
      %s = arith.constant {value} : f32
      %v = vector.broadcast %s : f32 to vector<8xf32>
      vector.store %v, %y[%zero] : memref<8xf32>, vector<8xf32>
      func.return
    }}
    """
    module = parse(str(lower(text)))
    y = np.zeros(8, np.float32)
    call(SegmentCode([compile_object(print_module(module), cache=NO_CACHE)]), y)
    assert (y.view(np.uint32) == int(value, 16)).all()


def test_same_ir_from_the_cache_runs(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    for _ in range(2):
        x = np.array([41])
        call(SegmentCode([compile_object(ADD_ONE, cache=cache)]), x)
        assert x[0] == 42


def test_text_of_a_stage_gives_the_same_code() -> None:
    """Printed and read back, the module becomes the same LLVM IR."""
    module = lower(parallel((3, 5), 4))
    assert print_module(parse(str(module))) == print_module(module)
