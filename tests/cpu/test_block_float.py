"""Weights in block floating point: stored numbers, kernels against float64, and models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree
from xdsl.dialects.builtin import f32

import devproc
from devproc.accuracy import float64_outputs, relative_error
from devproc.dialects.dev import BlockFloatAttr
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.shape import PackOp
from devproc.ir.layouts.block_float import block_terms, block_words, row_words
from devproc.ir.types import tensor
from devproc.reference.shape import REFERENCE
from devproc.targets.cpu.machine.cpu_target import host_vector_bits
from tests.cpu.linear_kernels import BRANCHES, EPILOGUE, linear
from tests.cpu.native_kernels import kernel, memref_type, run_kernel

RNG = np.random.default_rng(11)
LARGEST_ERROR = 3e-6


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def words_of(numbers: np.ndarray, quarter: int) -> np.ndarray:
    """The bits of numbers in the three words that they share with other quarters."""
    bits = numbers & 0xFFFFFF
    none = 0 * bits
    words = [
        (bits << 8, none, none),
        (bits >> 16, bits << 16 & 0xFFFFFFFF, none),
        (none, bits >> 8, bits << 24 & 0xFFFFFFFF),
        (none, none, bits),
    ]
    return np.stack(words[quarter], axis=1).astype(np.uint32)


def pack(weight: np.ndarray, width: int, terms: int) -> np.ndarray:
    """A finite weight (n, k) as `#dev.block_float` stores it, column by column."""
    n, k = weight.shape
    panels, blocks = -(-n // width), k // terms
    rows = np.zeros((panels, blocks, terms, 3, width // 4), np.uint32)
    scales = np.zeros((panels, blocks, width), np.float32)
    filled = np.pad(weight, ((0, -n % width), (0, 0)))
    for column, terms_of_column in enumerate(filled):
        panel, inside = divmod(column, width)
        quarter, lane = divmod(inside, width // 4)
        for block in range(blocks):
            numbers = terms_of_column[block * terms : (block + 1) * terms]
            exponent = max(int(np.frexp(np.abs(numbers).max())[1]), -100)
            mantissas = np.rint(numbers.astype(np.float64) * 2.0 ** (23 - exponent))
            mantissas = np.clip(mantissas, -(2**23), 2**23 - 1).astype(np.int64)
            rows[panel, block, ..., lane] |= words_of(mantissas, quarter)
            scales[panel, block, inside] = 2.0 ** (exponent - 1)
    words = rows.reshape(panels, blocks, -1), scales.view(np.uint32)
    return np.concatenate(words, 2).view(np.float32)


def packed_by_reference(weight: torch.Tensor, width: int, terms: int) -> torch.Tensor:
    source = WeightOp("w", "1f", tensor(f32, weight.shape))
    op = PackOp.into(source.result, BlockFloatAttr.get(width, terms))
    meaning: Any = REFERENCE[PackOp]
    (result,) = meaning(op, weight)
    return result


def weight_type(weight: np.ndarray, width: int, terms: int) -> str:
    shape = "x".join(map(str, weight.shape))
    return f'memref<{shape}xf32, #dev.on<"cpu", #dev.block_float<{width}, {terms}>>>'


@pytest.mark.parametrize("magnitude", [1.0, 3e38, 1e-38, 1e-42])
def test_stored_numbers(magnitude: float) -> None:
    """Blocks of different size, zeros among them, up to the ends of the range."""
    weight = RNG.uniform(-magnitude, magnitude, (37, 96)).astype(np.float32)
    weight[3, :32], weight[5, 40] = 0, magnitude
    weight[7] *= np.float32(0.001)
    found = packed_by_reference(torch.from_numpy(weight), 16, 32).numpy()
    np.testing.assert_array_equal(
        found.view(np.uint32), pack(weight, 16, 32).view(np.uint32)
    )


def test_blocks_are_equal_and_of_few_terms() -> None:
    assert [block_terms(k) for k in (784, 768, 1000, 64, 300)] == [56, 64, 50, 64, 60]
    assert [block_terms(k) for k in (31, 641, 37)] == [None, None, 37]


def test_four_numbers_share_three_words() -> None:
    assert row_words(64) == 48
    assert block_words(56, 64) == 56 * 48 + 64


@pytest.mark.parametrize(
    ("rows", "n", "terms", "blocks", "vector_bits"),
    [
        (1, 125, 56, 3, 512),
        (1, 68, 33, 2, 256),
        (3, 164, 64, 2, 512),
        (2, 21, 36, 5, 128),
    ],
)
def test_linear_with_epilogue(
    rows: int, n: int, terms: int, blocks: int, vector_bits: int
) -> None:
    """Odd numbers of outputs and terms, several rows, every width of vectors."""
    width, k = 4 * vector_bits // 32, terms * blocks
    x, weight, bias = floats(rows, k), floats(n, k), floats(n)
    residual, out = floats(rows, n), np.full((rows, n), np.nan, np.float32)
    types = [memref_type(a) for a in (x, x, bias, out, residual)]
    types[1] = weight_type(weight, width, terms)
    stored = pack(weight, width, terms)
    text = linear(types, ["i"], EPILOGUE)
    exact = np.maximum(x.astype(np.float64) @ weight.T + bias + residual, 0)
    found: list[np.ndarray] = []
    for threads in (1, 4):
        module = kernel(
            "contraction", types, text, vector_bits=vector_bits, threads=threads
        )
        result = out.copy()
        run_kernel(module, [x, stored, bias, result, residual])
        assert np.linalg.norm(result - exact) < 4e-7 * np.linalg.norm(exact)
        found.append(result)
    np.testing.assert_array_equal(found[0], found[1])


def test_epilogue_that_has_no_vectors() -> None:
    """It stays a loop of its own behind the product."""
    x, weight, bias = floats(1, 64), floats(40, 64), floats(40)
    out, residual = np.zeros((1, 40), np.float32), floats(1, 40)
    found = np.zeros((1, 40), np.int32)
    types = [memref_type(a) for a in (x, x, bias, out, residual, found)]
    types[1] = weight_type(weight, 64, 32)
    text = linear(types, ["i"], BRANCHES, result=5)
    stored = pack(weight, 64, 32)
    run_kernel(
        kernel("contraction", types, text), [x, stored, bias, out, residual, found]
    )
    np.testing.assert_allclose(out, x.astype(np.float64) @ weight.T, rtol=1e-4)
    np.testing.assert_array_equal(found, np.where(out < bias, 1, 2))


def layer(inputs: int, outputs: int) -> nn.Linear:
    torch.manual_seed(4)
    return nn.Linear(inputs, outputs).eval()


def compiled(
    module: nn.Module, x: torch.Tensor, precision: str = "default", threads: int = 1
) -> devproc.Program:
    exported = torch.export.export(module, (x,))
    program = devproc.compile(
        exported, threads=threads, precision=precision, cache=False
    )
    is_stored = "as #dev.block_float" in program.ir("buffers")
    assert is_stored == (precision != "strict" and host_vector_bits() == 512)
    return program


def output_of(program: devproc.Program, x: torch.Tensor) -> torch.Tensor:
    (found,) = pytree.tree_leaves(program(x))
    return found


@pytest.mark.parametrize("precision", ["strict", "default", "fast"])
@pytest.mark.parametrize(("inputs", "outputs"), [(784, 512), (300, 1001), (2048, 333)])
def test_error_is_that_of_the_precision(
    precision: str, inputs: int, outputs: int
) -> None:
    module = nn.Sequential(layer(inputs, outputs), nn.GELU()).eval()
    x = torch.randn(8, 1, inputs)
    program = compiled(module, x[0], precision, threads=2)
    ours = theirs = 0.0
    with torch.no_grad():
        for row in x:
            (exact,) = float64_outputs(module, (row,))
            ours += relative_error(output_of(program, row), exact) / len(x)
            theirs += relative_error(module(row), exact) / len(x)
    assert ours <= (2 if precision == "strict" else 4) * theirs
    assert ours < LARGEST_ERROR


def test_weights_of_few_digits_are_exact() -> None:
    """Zeros, ones and small integers: a product of integers has no error at all."""
    module = layer(640, 500)
    with torch.no_grad():
        module.weight.copy_(torch.randint(-300, 300, module.weight.shape))
        module.weight[:100] *= torch.randint(0, 2, (100, 640))
        module.bias.zero_()
    x = torch.randint(-9, 10, (1, 640)).float()
    torch.testing.assert_close(
        output_of(compiled(module, x), x), module(x), rtol=0, atol=0
    )


@pytest.mark.parametrize("power", [1, 10])
def test_large_weight_costs_its_block_alone(power: int) -> None:
    """Even where its own input is zero, so that it adds nothing to the result."""
    module, x = layer(640, 500), torch.randn(1, 640)
    with torch.no_grad():
        module.weight[:, 70] = 2.0**power - 1
    x[0, 70] = 0
    (exact,) = float64_outputs(module, (x,))
    with torch.no_grad():
        found = output_of(compiled(module, x), x)
    reach = 2.0**power * x[0, 64:128].abs().sum()
    assert (found - exact).abs().max() < 2.0**-24 * reach + 1e-6
    if power == 1:  # 40 times the usual weight
        assert relative_error(found, exact) < LARGEST_ERROR


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite(value: float) -> None:
    """In the input, and in the weight, where a row of it takes another value."""
    module, x = layer(640, 500), torch.randn(1, 640)
    x[0, 100] = value
    torch.testing.assert_close(
        output_of(compiled(module, x), x), module(x), equal_nan=True
    )
    x[0, 100] = 2.0
    with torch.no_grad():
        module.weight[7, 33], module.weight[8, 600] = value, 1e38
    torch.testing.assert_close(
        output_of(compiled(module, x), x), module(x), equal_nan=True
    )


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_inputs_of_any_size(scale: float) -> None:
    module, x = layer(640, 500), torch.randn(1, 640) * scale
    with torch.no_grad():
        module.bias.zero_()
    (exact,) = float64_outputs(module, (x,))
    assert relative_error(output_of(compiled(module, x), x), exact) < LARGEST_ERROR
