"""Kernels of the CPU apart from their program, and what it takes to compile them so."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp, VectorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.driver import run_pass, run_stages, stage_named
from devproc.errors import CompileError
from devproc.ir.concurrency.thread_switches import SECONDS, frequent_thread_switches
from devproc.ir.identity_cache import LIMIT, cached_by_identity
from devproc.ir.program.kernel_modules import kernel_mark, put_back, take_kernels
from devproc.ir.verification.verify import verify_module
from devproc.stages import STAGES
from devproc.targets.cpu import object_code
from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from tests.repository import context, cpu_code, parse

PROGRAM = """
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
  "memref.global"() <{sym_name = "table", type = memref<2xf32>,
    initial_value = dense<[3.0, 5.0]> : tensor<2xf32>, sym_visibility = "private"}> : () -> ()
  "memref.global"() <{sym_name = "other", type = memref<2xf32>,
    initial_value = dense<[1.0, 2.0]> : tensor<2xf32>, sym_visibility = "private"}> : () -> ()
  func.func @main(%x: memref<2xf32>, %y: memref<2xf32>) {
    func.call @a(%x, %y) : (memref<2xf32>, memref<2xf32>) -> ()
    func.return
  }
  func.func private @a(%x: memref<2xf32> {llvm.noalias}, %y: memref<2xf32>)
      attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.add"]>} {
    %t = memref.get_global @table : memref<2xf32>
    func.return
  }
  func.func private @g(%x: memref<2xf32>)
      attributes {dev.kernel = #dev.kernel<"cuda", "gather", ["nn.add"]>} {
    func.return
  }
}
"""


def functions(module: ModuleOp) -> Iterator[FuncOp]:
    for op in module.ops:
        if isinstance(op, FuncOp):
            yield op


def test_a_kernel_takes_its_tables_and_leaves_a_declaration() -> None:
    module = parse(PROGRAM)
    (taken,) = take_kernels(module)
    assert taken.name == "a"
    part = taken.module
    verify_module(part)
    verify_module(module)
    assert part.attributes == module.attributes
    assert "@table" in str(part)
    assert "@other" not in str(part)
    (kernel,) = functions(part)
    assert not kernel.is_declaration
    left = {op.sym_name.data: op for op in functions(module)}
    assert [name for name, op in left.items() if op.is_declaration] == ["a"]
    for what in ("function_type", "arg_attrs"):
        assert getattr(left["a"], what) == getattr(kernel, what)
    assert kernel_mark(left["a"]) == kernel_mark(kernel)
    assert take_kernels(module) == []


def test_what_is_put_back_stands_where_it_was() -> None:
    module = parse(PROGRAM)
    before = str(module)
    put_back(module, take_kernels(module))
    assert str(module) == before
    verify_module(module)


def test_kernel_by_kernel_gives_what_the_whole_module_does() -> None:
    text = PROGRAM[: PROGRAM.index("  func.func private @g")] + "}"
    read = """memref.get_global @table : memref<2xf32>
    %i = arith.constant 1 : index
    %v = memref.load %t[%i] : memref<2xf32>
    memref.store %v, %y[%i] : memref<2xf32>"""
    text = text.replace("memref.get_global @table : memref<2xf32>", read)
    text = text.replace("sym_visibility", "constant, sym_visibility")
    text = re.sub(r"func.call .*", "", text)
    apart, whole = parse(text), parse(text)
    run_stages(apart, context(), [stage_named("llvm")])
    run_pass("convert-to-llvm", whole, context(), "llvm")
    assert "llvm.mlir.global" in str(whole)
    assert str(apart) == str(whole)


def test_a_table_that_is_not_there() -> None:
    module = parse(PROGRAM.replace("get_global @table", "get_global @nowhere"))
    with pytest.raises(VerifyException, match="@a reads @nowhere"):
        take_kernels(module)


class Two(nn.Module):
    """Kernels of two families."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(16, 16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.conv(x), 1)


def test_a_program_is_a_file_for_each_kernel_and_one_that_calls_them() -> None:
    model, x = Two().eval(), torch.randn(2, 16, 9, 11)
    program = devproc.compile(torch.export.export(model, (x,)), threads=2, cache=False)
    code = cpu_code(program).objects
    kernels = [op for op in functions(parse(program.ir("cpu"))) if kernel_mark(op)]
    assert len(code) == len(kernels) + 1 >= 3
    for kernel, file in zip(kernels, code, strict=False):
        assert f"{kernel.sym_name.data}\0".encode() in file
    with torch.no_grad():
        np.testing.assert_allclose(program(x.numpy()), model(x), rtol=1e-5, atol=1e-6)
    taken = {record.name: record for record in program.timings}
    for stage in STAGES:
        if stage.by_kernel:
            assert set(stage.passes) <= set(taken[stage.name].seconds)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_text_that_is_shown_is_what_llvm_was_given(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    given: list[str] = []

    def keep(text: str, target: CPUTarget, options: CompileOptions) -> bytes:
        given.append(text)
        return compile_object(text, target, options)

    monkeypatch.setattr(object_code, "compile_object", keep)
    model, x = Two().eval(), torch.randn(2, 16, 9, 11)
    exported = torch.export.export(model, (x,))
    program = devproc.compile(exported, threads=threads, cache=False)
    shown = program.ir("llvm-ir")
    for text in given:
        # A file exports its kernel and declares those of others; loops are numbered anew.
        parts = re.sub(r"define hidden", "define internal", text).split("\n\n")
        for part in (p for p in parts if p.startswith("define")):
            assert without_numbers(part) in without_numbers(shown)


def without_numbers(text: str) -> str:
    """A text without the numbers of its metadata."""
    return re.sub(r"!\d+", "!", text).strip()


def test_an_error_in_a_kernel_reaches_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str, target: CPUTarget, options: CompileOptions) -> bytes:
        raise CompileError("no code today")

    monkeypatch.setattr(object_code, "compile_object", refuse)
    exported = torch.export.export(Two().eval(), (torch.randn(2, 16, 9, 11),))
    before = sys.getswitchinterval()
    with pytest.raises(CompileError, match="no code today"):
        devproc.compile(exported, cache=False)
    assert sys.getswitchinterval() == before


def test_switches_are_as_before_when_the_last_thread_is_done() -> None:
    before = sys.getswitchinterval()
    inside, leave = threading.Barrier(3), [threading.Event() for _ in range(2)]

    def work(number: int) -> None:
        with frequent_thread_switches():
            inside.wait(10)
            leave[number].wait(10)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    inside.wait(10)
    for event, thread in zip(leave, threads, strict=True):
        assert sys.getswitchinterval() == pytest.approx(SECONDS)
        event.set()
        thread.join()
    assert sys.getswitchinterval() == before


def test_a_shorter_interval_of_the_user_stays() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SECONDS / 4)
    try:
        with frequent_thread_switches():
            assert sys.getswitchinterval() < SECONDS / 2
    finally:
        sys.setswitchinterval(before)


def test_identity_cache_asks_once_for_each_attribute() -> None:
    asked: list[int] = []

    @cached_by_identity
    def size(type_: VectorType) -> int:
        asked.append(type_.get_shape()[0])
        return type_.get_shape()[0]

    types = [VectorType(f32, [n + 1]) for n in range(LIMIT + 5)]
    for type_ in (types[0], types[0], *types, types[-1]):
        assert size(type_) == type_.get_shape()[0]
    assert len(asked) == len(types)
    # Started afresh on the way, so that memory stays bounded.
    assert size(types[0]) == 1
    assert len(asked) == len(types) + 1
