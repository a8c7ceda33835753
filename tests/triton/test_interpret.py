"""The interpreter is switched on for a run and leaves Triton as it was."""

from __future__ import annotations

import ast
import threading
from dataclasses import replace

import pytest
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction

from devproc.errors import BoundsError, CompileError
from devproc.targets.triton import aot, interpret
from devproc.targets.triton.interpretation.paths import path_axes
from devproc.targets.triton.kernel import TritonKernel
from tests.triton.programs import elementwise, linear, softmax
from tests.triton.support import kernels, run

ADD = elementwise("%r = arith.addf %a, %b : f32", "f32", (50,), "f32", "f32")


def snapshot() -> list[dict[str, object]]:
    """The attributes of everything the interpreter patches."""
    scopes = (tl, tl.core, tl.standard, tl.math, tl.core.tensor, tl.core.dtype)
    return [dict(vars(scope)) for scope in (*scopes, interpreter)]


def test_library_is_restored() -> None:
    run(ADD, torch.randn(50), torch.randn(50), torch.empty(50))
    before = snapshot()
    x, out = torch.randn(6, 10), torch.empty(6, 10)
    run(softmax((6, 10), 1), x, torch.empty(6), torch.empty(6, 10), torch.empty(6), out)
    assert isinstance(tl.sum, JITFunction)
    for old, new in zip(before, snapshot(), strict=True):
        assert {k: v for k, v in new.items() if k in old} == old


def test_interpret_compile_interpret() -> None:
    text = softmax((6, 10), 1)
    (kernel,) = kernels(text, interpret=False)
    x = torch.randn(6, 10)
    scratch = torch.empty(6), torch.empty(6, 10), torch.empty(6)
    for _ in range(2):
        out = torch.empty(6, 10)
        interpret.launch(kernel, x, *scratch, out)
        torch.testing.assert_close(out, x.softmax(1))
        assert aot.compile_kernel(kernel).cubin


def divide_while_interpreting() -> float:
    """An error with Triton's library swapped."""
    with interpret.interpreting():
        assert not isinstance(tl.sum, JITFunction)
        return 1 / 0


def test_library_is_restored_after_an_error() -> None:
    (kernel,) = kernels(ADD)
    with pytest.raises(CompileError, match="takes 3 arguments, got 1"):
        interpret.launch(kernel, torch.randn(50))
    with pytest.raises(ZeroDivisionError):
        divide_while_interpreting()
    assert isinstance(tl.sum, JITFunction)


def test_threads_take_turns() -> None:
    (kernel,) = kernels(ADD)
    outs = [torch.empty(50) for _ in range(4)]
    x, y = torch.randn(50), torch.randn(50)
    threads = [
        threading.Thread(target=interpret.launch, args=(kernel, x, y, out))
        for out in outs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(out, x + y) for out in outs)


LIBRARY = """
import triton
import triton.language as tl


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def library(x_ptr, y_ptr):
    row = tl.program_id(0) * 2 + tl.program_id(2)
    column = tl.program_id(1) * 8 + tl.arange(0, 8)
    lines = row * 4 + tl.arange(0, 4)
    x = tl.load(x_ptr + lines[:, None] * 24 + column[None, :])
    at = tl.argmax(x, axis=1)[:, None]
    last = tl.cumsum(x, axis=1, reverse=True)
    ordered = tl.sort(x, dim=1)
    products = tl.reduce(x, 1, product, keep_dims=True)
    gram = tl.dot(tl.trans(x), x, input_precision="ieee")
    both = tl.reshape(tl.join(ordered, last), [4, 16])
    y = y_ptr + (row * 3 + tl.program_id(1)) * 136
    tl.store(y + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :], both)
    tl.store(y + 64 + tl.arange(0, 4)[:, None], at + products)
    tl.store(y + 68 + tl.arange(0, 4), tl.max(tl.flip(x, 1), 1) + tl.num_programs(1))
    tl.store(y + 72 + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], gram)
"""


def test_programs_that_run_together() -> None:
    """Functions of the library in 5 x 3 x 2 programs."""
    x, y = torch.randn(40, 24), torch.empty(10, 3, 136)
    kernel = TritonKernel("library", LIBRARY, ("*fp32",) * 2, (5, 3, 2), 4, 1)
    interpret.launch(kernel, x, y)
    tiles = x.view(10, 4, 3, 8).transpose(1, 2)
    pair = torch.stack([tiles.sort(-1)[0], tiles.flip(-1).cumsum(-1).flip(-1)], -1)
    wanted = [
        pair,
        tiles.argmax(-1) + tiles.prod(-1),
        tiles.amax(-1) + 3,
        tiles.mT @ tiles,
    ]
    flat = torch.cat([part.reshape(10, 3, -1) for part in wanted], -1)
    torch.testing.assert_close(y, flat, rtol=1e-5, atol=1e-5)


PATHS = """
import triton
import triton.language as tl


@triton.jit
def paths(x_ptr, y_ptr):
    pid = tl.program_id(0)
    first = pid
    row = tl.program_id(1)
    total = tl.full([], 0.0, tl.float32)
    for tile in range(first, 11, tl.num_programs(0)):
        if tile % 2 == 0:
            total += tl.load(x_ptr + row * 11 + tile)
    tl.store(y_ptr + row * 3 + pid, total)
"""


def test_programs_that_take_different_paths() -> None:
    """Loops from the position along x on; programs of the same run together."""
    assert path_axes(ast.parse(PATHS)) == {0}
    x, y = torch.randn(5, 11), torch.empty(5, 3)
    kernel = TritonKernel("paths", PATHS, ("*fp32",) * 2, (3, 5, 1), 4, 1)
    interpret.launch(kernel, x, y)
    even = x * (torch.arange(11) % 2 == 0)
    wanted = torch.stack([even[:, pid::3].sum(1) for pid in range(3)], 1)
    torch.testing.assert_close(y, wanted)


@pytest.mark.parametrize(
    ("statement", "axes"),
    [
        ("for k in range(0, 64, 16): pass", set()),
        ("n = tl.program_id(1) * 2\nfor k in range(0, n): pass", {1}),
        ("while tl.load(p) > 0: pass", {0, 1, 2}),
        ("a = 0\nfor k in range(8):\n  if a: pass\n  a += tl.program_id(2)", {2}),
    ],
)
def test_axes_of_paths(statement: str, axes: set[int]) -> None:
    assert path_axes(ast.parse(statement)) == axes


def test_bfloat16_is_rounded_to_even_and_multiplied_as_a_number() -> None:
    x = torch.tensor([1.0 + 2**-8, 1.0 + 3 * 2**-8, -1e38 * 3.4, float("nan"), 3e-39])
    out = torch.empty(5, dtype=torch.bfloat16)
    run(elementwise("%r = arith.truncf %a : f32 to bf16", "bf16", (5,), "f32"), x, out)
    torch.testing.assert_close(
        out, x.to(torch.bfloat16), rtol=0, atol=0, equal_nan=True
    )
    a, b = (torch.randn(16, 16).to(torch.bfloat16) for _ in range(2))
    product = torch.empty(16, 16)
    run(linear(16, 16, 16, "bf16"), a, b, torch.zeros(16), product)
    torch.testing.assert_close(product, a.float() @ b.float().T, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("at", "what"), [(0, "a load"), (2, "a store")])
def test_leaving_the_arguments_is_an_error(at: int, what: str) -> None:
    """A mask that lets one element too many through; nothing outside changes."""
    (kernel,) = kernels(ADD)
    broken = replace(kernel, source=kernel.source.replace("< 50", "< 51"))
    assert broken != kernel
    x, y, out = torch.randn(51), torch.randn(51), torch.full((51,), 7.0)
    tensors = [x, y, out]
    tensors[at] = tensors[at][:50]
    with pytest.raises(BoundsError, match=rf"kernel '{kernel.name}': {what} of 1 elem"):
        interpret.launch(broken, *tensors)
    assert out[50] == 7.0
    assert isinstance(tl.sum, JITFunction)
    interpret.launch(broken, x, y, out)
    torch.testing.assert_close(out, x + y)
