"""On memory the program gives what it gave on values, through every later stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.driver import make_context, make_pass, parse_module, stage_named
from devproc.ir.verification.verify import verify_module
from tests import linalg_evaluator, memory_evaluator

Array = np.ndarray[Any, Any]

PLACED = stage_named("placed").passes
KERNELS = "outline-kernels", "merge-kernels"
TARGET = (
    'devproc.target = #dev.target<"{}", precision = "default", threads = 1, '
    "cpu = #cpu.machine<vector_bits = 256>>"
)
FUSED = ("fuse-pointwise",)
CONTEXT = make_context()

CONV_NET = """
  %c = nn.conv2d %x, %w bias %b stride [1, 1] padding [1, 2] dilation [1, 1] groups 1
     : (tensor<2x2x5x4xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<2x3x5x6xf32>
  %r = nn.relu %c : (tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %p = nn.max_pool2d %r kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0
     : (tensor<2x3x5x6xf32>) -> tensor<2x3x2x3xf32>
  %f = nn.reshape %p to [2, 18] : (tensor<2x3x2x3xf32>) -> tensor<2x18xf32>
  %l = nn.linear %f, %v : (tensor<2x18xf32>, tensor<5x18xf32>) -> tensor<2x5xf32>
  %m = nn.reduce_max %l axes [1] keep 1 : (tensor<2x5xf32>) -> tensor<2x1xf32>
  %d = nn.sub %l, %m : (tensor<2x5xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %e = nn.exp %d : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %s = nn.reduce_sum %e axes [1] keep 1 : (tensor<2x5xf32>) -> tensor<2x1xf32>
  %q = nn.div %e, %s : (tensor<2x5xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %a = nn.argmax %q axis 1 keep 0 : (tensor<2x5xf32>) -> tensor<2xi64>
"""
CONV_INPUTS = {
    "x": "2x2x5x4xf32",
    "w": "3x2x3x3xf32",
    "b": "3xf32",
    "v": "5x18xf32",
}
Case = tuple[dict[str, str], str, dict[str, str]]
"""Inputs, ops and outputs of a program, with their types."""

CASES: dict[str, Case] = {
    "conv net": (CONV_INPUTS, CONV_NET, {"q": "2x5xf32", "a": "2xi64"}),
    "every value is an output": (
        CONV_INPUTS,
        CONV_NET,
        {"p": "2x3x2x3xf32", "f": "2x18xf32", "l": "2x5xf32", "e": "2x5xf32"},
    ),
    "an output twice": (
        {"x": "2x3xf32"},
        "%y = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        {"y": "2x3xf32", "y ": "2x3xf32"},
    ),
    "an input is an output": ({"x": "3xf64"}, "", {"x": "3xf64", "x ": "3xf64"}),
    "a view of an input": (
        {"x": "2x3xf32"},
        "%y = nn.reshape %x to [6] : (tensor<2x3xf32>) -> tensor<6xf32>",
        {"y": "6xf32"},
    ),
    "a value and its view": (
        {"x": "2x3xf32"},
        """%r = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
           %y = nn.reshape %r to [6] : (tensor<2x3xf32>) -> tensor<6xf32>
           %z = nn.exp %y : (tensor<6xf32>) -> tensor<6xf32>""",
        {"y": "6xf32", "r": "2x3xf32", "z": "6xf32"},
    ),
    "nothing in it": (
        {"x": "0x3xf32"},
        "%y = nn.exp %x : (tensor<0x3xf32>) -> tensor<0x3xf32>",
        {"y": "0x3xf32"},
    ),
    "a scalar": (
        {"x": "f32", "y": "f32"},
        "%z = nn.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>",
        {"z": "f32"},
    ),
    "a big image": (
        {"x": "1x2x70x70xf32", "w": "1x2x1x1xf32"},
        """%c = nn.conv2d %x, %w stride [9, 9] padding [2, 2] dilation [1, 1] groups 1
            : (tensor<1x2x70x70xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x9x9xf32>""",
        {"c": "1x1x9x9xf32"},
    ),
    "the sum of two chains": (
        {"x": "4x6xf32", "y": "4x6xf32"},
        """%a = nn.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
           %b = nn.relu %y : (tensor<4x6xf32>) -> tensor<4x6xf32>
           %t = nn.transpose %b by [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
           %u = nn.matmul %a, %t : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
           %z = nn.add %u, %u : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>""",
        {"z": "4x4xf32", "u": "4x4xf32"},
    ),
}


def program(case: Case, devices: str) -> ModuleOp:
    inputs, body, outputs = case
    arguments = ", ".join(f"%{n}: tensor<{t}>" for n, t in inputs.items())
    results = ", ".join("%" + name.strip() for name in outputs)
    types = ", ".join(f"tensor<{t}>" for t in outputs.values())
    text = (
        f"builtin.module attributes {{{TARGET.format(devices)}}} {{\n"
        f"func.func @main({arguments}) -> ({types}) {{\n{body}\n"
        f"func.return {results} : {types}\n}}\n}}"
    )
    return parse_module(text, CONTEXT)


def run(module: ModuleOp, names: Sequence[str]) -> None:
    """Run passes, verifying after each; the text parses back."""
    for name in names:
        make_pass(name).apply(CONTEXT, module)
        verify_module(module)
    assert str(parse_module(str(module), CONTEXT)) == str(module)


def sample(case: Case) -> list[Array]:
    rng = np.random.default_rng(len(case[1]))
    arrays: list[Array] = []
    for text in case[0].values():
        *dims, element = text.split("x")
        dtype = memory_evaluator.NUMPY[element]
        arrays.append(rng.standard_normal([int(d) for d in dims]).astype(dtype))
    return arrays


def same(got: Sequence[Array], wanted: Sequence[Array]) -> None:
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("fused", [False, True], ids=["alone", "fused"])
@pytest.mark.parametrize("devices", ["cpu", "cuda", "cpu+cuda"])
@pytest.mark.parametrize("case", CASES)
def test_memory_gives_the_values(case: str, devices: str, fused: bool) -> None:
    module, inputs = program(CASES[case], devices), sample(CASES[case])
    plain = program(CASES[case], "cpu")
    run(plain, ["convert-nn-to-linalg"])
    wanted = linalg_evaluator.evaluate(plain, inputs)
    run(module, [*PLACED, "convert-nn-to-linalg", *(FUSED if fused else ()), *KERNELS])
    for name in ("bufferize", "plan-memory", "outline-segments"):
        run(module, [name])
        same(memory_evaluator.evaluate(module, inputs), wanted)


def test_an_accumulator_shares_the_memory_of_its_epilogue() -> None:
    """No temporary between a sum of products and the bias that follows."""
    module = program(CASES["conv net"], "cpu")
    run(module, [*PLACED, "convert-nn-to-linalg", *FUSED, *KERNELS, "bufferize"])
    kernels = [
        f
        for f in module.ops
        if isinstance(f, FuncOp) and f.sym_name.data.startswith("linear")
    ]
    assert kernels
    for kernel in kernels:
        assert not [op for op in kernel.walk() if isinstance(op, memref.AllocaOp)]


def test_a_large_temporary_belongs_to_the_plan() -> None:
    """The padded image, 43 KB of floats, is no stack memory: it gets an argument."""
    module = program(CASES["a big image"], "cpu")
    run(module, [*PLACED, "convert-nn-to-linalg", *FUSED, *KERNELS, "bufferize"])
    (kernel,) = [
        f for f in module.ops if isinstance(f, FuncOp) and "dev.kernel" in f.attributes
    ]
    types = [str(t) for t in kernel.function_type.inputs]
    assert any(t.startswith("memref<1x2x73x73xf32") for t in types)
    assert not [op for op in kernel.walk() if isinstance(op, memref.AllocaOp)]


@pytest.mark.parametrize("devices", ["cpu", "cuda", "cpu+cuda"])
def test_constants(devices: str) -> None:
    """One number is filled in; different numbers are a prepared weight."""
    case: Case = (
        {"x": "3xf32"},
        """%c = nn.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32> : tensor<3xf32>
           %s = nn.constant dense<7> : tensor<2xi32> : tensor<2xi32>
           %y = nn.mul %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>""",
        {"y": "3xf32", "c": "3xf32", "s": "2xi32"},
    )
    module = program(case, devices)
    run(module, [*PLACED, "convert-nn-to-linalg", *KERNELS, "bufferize", "plan-memory"])
    table = np.array([1, 2, 4], np.float32)
    x = np.array([0.5, -1, np.inf], np.float32)
    got = memory_evaluator.evaluate(module, [x], {"prepare.0": table})
    same(got, [x * table, table, np.array([7, 7], np.int32)])


def test_roles_of_the_arguments() -> None:
    module = program(CASES["conv net"], "cpu")
    run(module, [*PLACED, "convert-nn-to-linalg", *KERNELS, "bufferize"])
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    assert main.arg_attrs is not None
    roles = [str(a.data["dev.role"]) for a in main.arg_attrs]
    assert roles == ['"input"'] * 4 + ['"output"'] * 2
    assert not main.function_type.outputs
