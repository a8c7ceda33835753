"""Matrix products by Winograd's inner product: kernels against NumPy in float64, models."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.accuracy import float64_outputs, relative_error
from devproc.ir.layouts.inner_product import block_terms
from devproc.targets.cpu.jit import assembly
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from tests.cpu.assembly_loops import inner_loops, stack_accesses
from tests.cpu.cpu_programs import FeedForward
from tests.cpu.linear_kernels import BRANCHES, linear
from tests.cpu.native_kernels import (
    kernel,
    llvm_text,
    memref_type,
    run_kernel,
    run_passes,
)

RNG = np.random.default_rng(6)
MOST_UNEVEN = 8.0
"""Of the sum of squares of pairs, in terms: what `docs/schedules/inner_product.md` says."""


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def pack(
    weight: np.ndarray, width: int, terms: int, slices: int = 1
) -> tuple[np.ndarray, str]:
    """A weight (n, k) as `#dev.inner_product` stores it, and its type: by loops."""
    parts = np.split(weight, slices, axis=1)
    numbers = [_pack_slice(part, width, terms) for part in parts]
    shape = "x".join(map(str, weight.shape))
    layout = f"#dev.inner_product<{width}, {terms}, {slices}>"
    return (
        np.concatenate(numbers),
        f'memref<{shape}xf32, #dev.on<"cpu", {layout}>>',
    )


def _pack_slice(weight: np.ndarray, width: int, terms: int) -> np.ndarray:
    """(panel, number of a column, column of the panel) of a slice (n, k)."""
    n, k = weight.shape
    columns: list[list[float]] = []
    for column in weight.astype(np.float64):
        size = np.sqrt(np.mean(column**2))
        scale = 2.0 ** -np.round(np.log2(size)) if 0 < size < np.inf else 1.0
        scaled, numbers, squares = column * scale, [], 0.0
        third = terms // 3
        for start in range(0, k // terms * terms, terms):
            a, b, c = (scaled[start + i * third :][:third] for i in range(3))
            squares += ((a * b) ** 2).sum()
            numbers += [-(a * b).sum(), *np.stack((a, b, c), 1).ravel()]
        numbers += [*scaled[k // terms * terms :], 1 / scale if size else 0.0]
        columns.append([*numbers, squares])
    columns += [[0.0] * len(columns[0])] * (-n % width)
    panels = np.array(columns).reshape(-1, width, len(columns[0]))
    bound = MOST_UNEVEN * k
    is_even = (panels[:, :, -1:] <= bound).all(1, keepdims=True)
    panels[:, :, -1:] = np.where(is_even, bound, -1.0)
    return np.ascontiguousarray(panels.transpose(0, 2, 1), np.float32)


def run(
    x: np.ndarray, weight: np.ndarray, vector_bits: int = 512, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """relu(x weight^T + bias + residual) by a kernel, and in float64."""
    *rows, k = x.shape
    n = len(weight)
    bias, residual = floats(n), floats(*rows, n)
    out = np.full((*rows, n), np.nan, np.float32)
    lanes = vector_bits // 32
    stored, type_ = pack(weight, lanes, block_terms(k, lanes))
    types = [memref_type(a) for a in (x, x, bias, out, residual)]
    types[1] = type_
    text = linear(types, [f"i{d}" for d in range(len(rows))])
    module = kernel(
        "contraction", types, text, vector_bits=vector_bits, threads=threads
    )
    run_kernel(module, [x, stored, bias, out, residual])
    with np.errstate(invalid="ignore"):
        exact = x.astype(np.float64) @ weight.T.astype(np.float64) + bias + residual
    return out, np.where(exact > 0, exact, np.where(np.isnan(exact), exact, 0))


@pytest.mark.parametrize(
    ("rows", "n", "k", "vector_bits"),
    [
        ((33,), 192, 512, 512),
        ((33,), 93, 528, 256),
        ((3, 50), 33, 768, 128),
        ((127,), 385, 96, 512),
        ((2, 5, 7), 96, 1104, 512),
        ((1,), 50, 64, 512),
        ((700,), 40, 1040, 256),
    ],
)
def test_linear_with_epilogue(
    rows: tuple[int, ...], n: int, k: int, vector_bits: int
) -> None:
    """Odd rows and columns, several leading dimensions, terms behind the blocks."""
    x, weight = floats(*rows, k) * 5, floats(n, k) * 0.02
    state = RNG.bit_generator.state
    found: list[np.ndarray] = []
    for threads in (1, 4):
        RNG.bit_generator.state = state
        result, exact = run(x, weight, vector_bits, threads)
        error = np.linalg.norm(result - exact) / np.linalg.norm(exact)
        plain = np.linalg.norm(x @ weight.T - x.astype(np.float64) @ weight.T)
        assert error < 2 * plain / np.linalg.norm(exact) + 2e-7
        np.testing.assert_allclose(result, exact, rtol=1e-4, atol=1e-4)
        found.append(result)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("vector_bits", [256, 512])
def test_rows_of_all_kinds_in_one_tile(vector_bits: int) -> None:
    """What is not finite, zero, tiny, huge, or uneven is multiplied in the plain way."""
    x, weight = floats(64, 384), floats(80, 384)
    x[3] = 0
    x[5, 17], x[6, 40], x[7, 380] = np.nan, np.inf, -np.inf
    x[18] *= 1e-30
    x[19] *= 1e30
    x[20] *= 1e-18
    x[35, [1, 65]] = 5000  # both sides of a pair
    x[50, 3] = 1e6
    x[51] = 3
    weight[40] = 0
    weight[41] *= 1e-20
    weight[42] *= 1e20
    weight[60, [0, 64]] = 300
    found, exact = run(x, weight, vector_bits)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))
    x64, w64 = x.astype(np.float64), weight.astype(np.float64)
    # As of any product of norms: what is small beside its row's others is less exact.
    with np.errstate(invalid="ignore", over="ignore"):
        norms = np.outer(np.linalg.norm(x64, axis=1), np.linalg.norm(w64, axis=1))
        rounded = exact.astype(np.float32)
        is_near = np.abs(found - exact) <= 3e-7 * (norms + 10)
    is_finite = np.isfinite(rounded)
    assert is_near[is_finite].all()
    np.testing.assert_array_equal(found[~is_finite], rounded[~is_finite])


def test_weights_that_are_not_finite() -> None:
    x, weight = floats(20, 96), floats(64, 96)
    weight[3, 5], weight[17, 50], weight[60, 90] = np.nan, np.inf, -np.inf
    found, exact = run(x, weight)
    np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-4)


def test_numbers_that_all_have_one_sign() -> None:
    """Sums of pairs are as large as the result; blocks begin with minus half of it."""
    x, weight = np.abs(floats(50, 768)) + 3, np.abs(floats(64, 768)) + 3
    found, exact = run(x, weight)
    assert np.linalg.norm(found - exact) / np.linalg.norm(exact) < 4e-7


@pytest.mark.parametrize("channels", [[7, 71], [7, 8], [0, 64, 200, 264, 400, 464]])
@pytest.mark.parametrize("where", ["rows", "columns"])
def test_outliers_in_pairs_stay_exact(where: str, channels: list[int]) -> None:
    """With channels 200 times the others on both sides of a pair: four times the error."""
    x, weight = floats(64, 768), floats(256, 768)
    (x if where == "rows" else weight)[:, channels] *= 200
    found, exact = run(x, weight)
    assert np.linalg.norm(found - exact) / np.linalg.norm(exact) < 5e-7


def test_epilogue_that_has_no_vectors() -> None:
    """It stays a loop of its own behind the product."""
    x, weight, bias = floats(40, 512), floats(96, 512), floats(96)
    out, residual = np.zeros((40, 96), np.float32), floats(40, 96)
    found = np.zeros((40, 96), np.int32)
    stored, type_ = pack(weight, 16, 240)
    types = [memref_type(a) for a in (x, x, bias, out, residual, found)]
    types[1] = type_
    text = linear(types, ["i"], BRANCHES, result=5)
    run_kernel(
        kernel("contraction", types, text), [x, stored, bias, out, residual, found]
    )
    exact = x.astype(np.float64) @ weight.T
    np.testing.assert_allclose(out, exact, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(found, np.where(out < bias, 1, 2))


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_blocks_leave_few_terms(lanes: int) -> None:
    for depth in range(lanes, 4100, lanes):
        terms = block_terms(depth, lanes)
        assert terms % (3 * lanes) == 0
        if depth < 3 * lanes:
            assert terms == 0
        else:
            assert terms <= min(depth, 240)
            assert depth % terms <= max(depth / 8, 6 * lanes)


def test_loop_has_an_addition_for_each_multiply_add() -> None:
    """With its operand in memory: no broadcast and no copy of a register is left."""
    types = [
        "memref<30x384xf32>",
        'memref<64x384xf32, #dev.on<"cpu", #dev.inner_product<16, 192>>>',
        *("memref<64xf32>", "memref<30x64xf32>", "memref<30x64xf32>"),
    ]
    module = run_passes(kernel("contraction", types, linear(types, ["i"])))
    text = assembly(llvm_text(module), CPUTarget.get("x86-64-v4"))
    loops = [
        loop for loop in inner_loops(text) if any("vfmadd" in line for line in loop)
    ]
    assert not any(stack_accesses(loop, "x86_64") for loop in loops)
    kinds = {"vfmadd": 20, "vaddps": 20, "vmov": 3, "vbroadcastss": 0, "call": 0}
    found = [{k: sum(k in line for line in loop) for k in kinds} for loop in loops]
    assert kinds in found
    # The plain loop: one term of five of these rows.
    assert {**kinds, "vfmadd": 5, "vaddps": 0, "vmov": 1} in found


CONVOLUTIONS = {
    "1x1": lambda: nn.Conv2d(48, 80, 1),
    "1x1, stride 2": lambda: nn.Conv2d(64, 72, 1, 2),
    "3x3, stride 2": lambda: nn.Conv2d(32, 64, 3, 2, 1),
    "5x5, dilated": lambda: nn.Conv2d(16, 66, 5, 1, 4, 2),
    "1x7": lambda: nn.Conv2d(32, 96, (1, 7), 1, (0, 3), bias=False),
    "patches": lambda: nn.Conv2d(16, 64, 4, 4),
}


@pytest.mark.usefixtures("separate_adders")
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    """Patches of strided, dilated and bordered images, as rows; then an activation."""
    torch.manual_seed(4)
    convolution = CONVOLUTIONS[name]()
    model = nn.Sequential(convolution, nn.ReLU()).eval()
    inputs = (torch.randn(2, convolution.in_channels, 23, 17) + 1,)
    (exact,) = float64_outputs(model, inputs)
    exported = torch.export.export(model, inputs)
    program = devproc.compile(exported, threads=2, cache=False)
    assert "#dev.inner_product" in program.ir("buffers")
    with torch.no_grad():
        plain = relative_error(model(*inputs), exact)
    assert relative_error(program(*inputs), exact) < 2 * plain


@pytest.mark.usefixtures("separate_adders")
@pytest.mark.parametrize("precision", ["strict", "default", "fast"])
def test_stack_of_layers(precision: str) -> None:
    """The error of PyTorch, or twice that, in every precision."""
    torch.manual_seed(3)
    model = nn.Sequential(*(FeedForward(256, 1000) for _ in range(3))).eval()
    inputs = (torch.randn(2, 51, 256),)
    (exact,) = float64_outputs(model, inputs)
    exported = torch.export.export(model, inputs)
    program = devproc.compile(exported, threads=2, precision=precision, cache=False)
    packed = program.ir("buffers").count("as #dev.inner_product<")
    assert packed == (0 if precision == "strict" else 3 * 2)
    with torch.no_grad():
        plain = relative_error(model(*inputs), exact)
    assert relative_error(program(*inputs), exact) < 2 * plain
