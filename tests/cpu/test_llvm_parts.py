"""The LLVM IR of a module in two parts: they link to what the whole is."""

from __future__ import annotations

import ctypes

import numpy as np

from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.llvm_ir import print_module, print_parts
from devproc.targets.cpu.native_code import load_object
from tests.cpu.native import NO_CACHE
from tests.repository import parse

MODULE = """
llvm.mlir.global internal constant @table(dense<[3.0, 5.0]> : tensor<2xf32>)
  : !llvm.array<2 x f32>
llvm.func internal @triple_parallel_0(%x: !llvm.ptr) {
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %a = llvm.load %t : !llvm.ptr -> f32
  %b = llvm.load %x : !llvm.ptr -> f32
  %c = llvm.fmul %a, %b : f32
  llvm.store %c, %x : f32, !llvm.ptr
  llvm.return
}
llvm.func internal @triple(%x: !llvm.ptr) {
  llvm.call @triple_parallel_0(%x) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func internal @add(%x: !llvm.ptr) {
  %t = llvm.mlir.addressof @table : !llvm.ptr
  %a = llvm.load %t : !llvm.ptr -> f32
  %b = llvm.load %x : !llvm.ptr -> f32
  %c = llvm.fadd %a, %b : f32
  llvm.store %c, %x : f32, !llvm.ptr
  llvm.return
}
llvm.func @segment_0_entry(%table: !llvm.ptr) {
  %x = llvm.load %table : !llvm.ptr -> !llvm.ptr
  llvm.call @triple(%x) : (!llvm.ptr) -> ()
  llvm.call @add(%x) : (!llvm.ptr) -> ()
  llvm.return
}
"""


def run(rest: str, finished: str) -> float:
    """What the code makes of 7."""
    value = np.full(1, 7, np.float32)
    table = (ctypes.c_void_p * 1)(value.ctypes.data)
    code = compile_object(rest, cache=NO_CACHE, finished=finished)
    load_object(code).entry("segment_0")(ctypes.addressof(table))
    return float(value[0])


def test_parts_link_to_the_whole() -> None:
    finished, rest = print_parts(parse(MODULE), {"triple"})
    assert finished.count("define hidden void") == 2
    assert "@add" not in finished
    assert "declare hidden void @triple(" in rest
    assert "triple_parallel_0" not in rest
    assert run(rest, finished) == 7 * 3 + 3


def test_nothing_apart_is_the_whole() -> None:
    module = parse(MODULE)
    finished, rest = print_parts(module, {"other"})
    assert finished == ""
    assert sorted(rest.split()) == sorted(print_module(module).split())
    assert run(rest, finished) == 7 * 3 + 3
