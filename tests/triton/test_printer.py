"""The printed source is valid Python whatever the names, and means what the IR means."""

from __future__ import annotations

import ast

import pytest
import torch
from xdsl.dialects.builtin import FloatAttr, f32

from devproc.errors import CompileError
from devproc.targets.triton import aot, interpret
from devproc.targets.triton.expressions import literal
from devproc.targets.triton.kernel import TritonKernel, kernels_of
from devproc.targets.triton.printer import print_module
from tests.triton.support import parse

LARGEST = torch.finfo(torch.float32).max
ATTRIBUTES = (
    "attributes {grid = array<i64: 1, 1, 1>, num_warps = 1 : i32, num_stages = 1 : i32}"
)


def kernel(arguments: str, body: str, location: str = "") -> TritonKernel:
    """The kernel of a `triton.func` with this body."""
    text = f"triton.func @k({arguments}) {ATTRIBUTES} {{\n{body}\n  triton.return\n}}"
    module = parse(text + location)
    ast.parse(print_module(module))
    return kernels_of(module)["k"]


STORE = """
  %p = triton.addptr %out, %lanes : !triton.ptr<{0}>, tensor<4xi32> -> tensor<4x!triton.ptr<{0}>>
  triton.store %p, %r : tensor<4x!triton.ptr<{0}>>, tensor<4x{0}>
"""


@pytest.mark.parametrize(
    ("element", "text", "number"),
    [
        ("f32", "0.1", 0.1),
        ("f32", "-2.5", -2.5),
        ("f32", "0x7f800000", float("inf")),
        ("f32", "0xff800000", float("-inf")),
        ("f32", "0x7fc00000", float("nan")),
        ("f32", "1.0e-45", 1e-45),
        ("f64", "0.1", 0.1),
        ("f64", "1.0e300", 1e300),
        ("f16", "0.333251953125", 0.333251953125),
        ("i32", "-2147483648", -(1 << 31)),
        ("i64", "-9223372036854775808", -(1 << 63)),
        ("i64", "9223372036854775807", (1 << 63) - 1),
        ("i8", "-128", -128),
    ],
)
def test_constants_keep_their_value(element: str, text: str, number: float) -> None:
    body = f"""
  %lanes = triton.arange : tensor<4xi32>
  %zero = arith.constant 0 : i32
  %zeros = triton.splat %zero : i32 -> tensor<4xi32>
  %c = arith.constant {text} : {element}
  %cs = triton.splat %c : {element} -> tensor<4x{element}>
  %never = triton.compare "slt" %lanes, %zeros : tensor<4xi32> -> tensor<4xi1>
  %q = triton.addptr %out, %lanes : !triton.ptr<{element}>, tensor<4xi32> -> tensor<4x!triton.ptr<{element}>>
  %old = triton.load %q : tensor<4x!triton.ptr<{element}>> -> tensor<4x{element}>
  %r = triton.where %never, %old, %cs : tensor<4xi1>, tensor<4x{element}>
"""
    printed = kernel(f"%out: !triton.ptr<{element}>", body + STORE.format(element))
    dtypes = {
        "f16": torch.float16,
        "f32": torch.float32,
        "f64": torch.float64,
        "i8": torch.int8,
        "i32": torch.int32,
        "i64": torch.int64,
    }
    out = torch.zeros(4, dtype=dtypes[element])
    interpret.launch(printed, out)
    wanted = torch.full((4,), number, dtype=dtypes[element])
    torch.testing.assert_close(out, wanted, rtol=0, atol=0, equal_nan=True)
    assert aot.compile_kernel(printed).cubin


@pytest.mark.parametrize("number", [LARGEST, -LARGEST, 1e-40, -1e-45])
def test_a_literal_is_a_float32(number: float) -> None:
    """Triton 3.6 takes what rounds to none of its normal numbers as a float64."""
    text = literal(FloatAttr(number, f32)).text
    assert text.endswith("tl.float32)") or abs(float(text)) <= LARGEST


def test_carried_values_are_exchanged_at_once() -> None:
    body = """
  %lanes = triton.arange : tensor<4xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %zeros = triton.splat %zero : i32 -> tensor<4xi32>
  %ones = triton.splat %one : i32 -> tensor<4xi32>
  %fib:2 = scf.for %k = %zero to %five step %one iter_args(%a = %zeros, %b = %ones)
      -> (tensor<4xi32>, tensor<4xi32>) : i32 {
    %next = arith.addi %a, %b : tensor<4xi32>
    scf.yield %b, %next : tensor<4xi32>, tensor<4xi32>
  }
  %r = arith.addi %fib#0, %zeros : tensor<4xi32>
"""
    printed = kernel("%out: !triton.ptr<i32>", body + STORE.format("i32"))
    assert "a, b = b, a + b" in printed.source
    out = torch.zeros(4, dtype=torch.int32)
    interpret.launch(printed, out)
    assert out.tolist() == [5, 5, 5, 5]
    assert aot.compile_kernel(printed).cubin


def test_names_that_are_words_of_the_language() -> None:
    body = """
  %lanes = triton.arange : tensor<4xi32>
  %tl = arith.addi %lanes, %lanes : tensor<4xi32>
  %lambda = arith.muli %tl, %tl : tensor<4xi32>
  %range = arith.addi %lambda, %tl : tensor<4xi32>
  %r = arith.subi %range, %lambda : tensor<4xi32>
"""
    printed = kernel("%out: !triton.ptr<i32>", body + STORE.format("i32"))
    out = torch.zeros(4, dtype=torch.int32)
    interpret.launch(printed, out)
    assert out.tolist() == [0, 2, 4, 6]


def test_precedence_follows_the_ir() -> None:
    body = """
  %lanes = triton.arange : tensor<4xi32>
  %two = arith.constant 2 : i32
  %twos = triton.splat %two : i32 -> tensor<4xi32>
  %three = arith.constant -3 : i32
  %threes = triton.splat %three : i32 -> tensor<4xi32>
  %d = arith.subi %twos, %lanes : tensor<4xi32>
  %e = arith.subi %lanes, %d : tensor<4xi32>
  %f = arith.muli %e, %threes : tensor<4xi32>
  %g = arith.muli %twos, %f : tensor<4xi32>
  %h = arith.shli %g, %twos : tensor<4xi32>
  %m = triton.compare "slt" %h, %twos : tensor<4xi32> -> tensor<4xi1>
  %n = triton.compare "ne" %lanes, %twos : tensor<4xi32> -> tensor<4xi1>
  %o = arith.andi %m, %n : tensor<4xi1>
  %r = triton.where %o, %h, %threes : tensor<4xi1>, tensor<4xi32>
"""
    printed = kernel("%out: !triton.ptr<i32>", body + STORE.format("i32"))
    out = torch.zeros(4, dtype=torch.int32)
    interpret.launch(printed, out)
    lanes = torch.arange(4)
    h = (2 * ((lanes - (2 - lanes)) * -3)) << 2
    wanted = torch.where((h < 2) & (lanes != 2), h, -3)
    assert torch.equal(out, wanted.int())


def test_no_location_breaks_the_docstring() -> None:
    printed = kernel("", "", r' loc("a\"\"\"b\\"("c:\\d.py":3:0))')
    assert "c:/d.py:3" in printed.source
    interpret.launch(printed)


def test_an_op_without_a_triton_form_is_named() -> None:
    with pytest.raises(CompileError, match=r"'math\.ctpop' .* has no Triton form"):
        kernel("%n: i32", "  %r = math.ctpop %n : i32")
