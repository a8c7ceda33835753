"""Matrix products by Strassen's algorithm: kernels against NumPy in float64, and models."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import devproc
from devproc.accuracy import float64_outputs, relative_error
from devproc.ir.layouts.strassen import LEFT, RESULT, RIGHT, slice_depths
from devproc.targets.cpu.algorithms.strassen.plan import block_rows
from tests.cpu.cpu_programs import FeedForward
from tests.cpu.linear_kernels import BRANCHES, linear
from tests.cpu.native_kernels import kernel, memref_type, run_kernel

RNG = np.random.default_rng(5)
LARGEST_ERROR = 3e-6


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def pack(weight: np.ndarray, width: int) -> tuple[np.ndarray, str]:
    """A weight (n, k) as `#dev.strassen` stores it, and its type."""
    b = weight.T.astype(np.float64)
    k, n = (size // 2 for size in b.shape)
    b11, b12, b21, b22 = b[:k, :n], b[:k, n:], b[k:, :n], b[k:, n:]
    # The right factors of the products, as Strassen's paper has them.
    factors = [b11 + b22, b11, b12 - b22, b21 - b11, b22, b11 + b12, b21 + b22]
    panels = np.stack(factors).reshape(7, k, -1, width).transpose(2, 0, 1, 3)
    shape = "x".join(map(str, weight.shape))
    return (
        np.ascontiguousarray(panels, np.float32),
        f'memref<{shape}xf32, #dev.on<"cpu", #dev.strassen<{width}>>>',
    )


def test_products_of_sums_are_the_product() -> None:
    a, b = RNG.integers(-9, 9, (2, 2)), RNG.integers(-9, 9, (2, 2))
    products = (np.array(LEFT) @ a.ravel()) * (np.array(RIGHT) @ b.ravel())
    np.testing.assert_array_equal(np.array(RESULT) @ products, (a @ b).ravel())


@pytest.mark.parametrize(
    ("rows", "n", "k", "vector_bits"),
    [
        ((33,), 192, 512, 512),
        ((33,), 96, 528, 256),
        ((3, 50), 48, 768, 128),
        ((127,), 384, 2 * 2 * 304, 512),
        ((2, 5, 7), 96, 2 * 3 * 384, 512),
        ((3, 81), 240, 512, 256),
    ],
)
def test_linear_with_epilogue(
    rows: tuple[int, ...], n: int, k: int, vector_bits: int
) -> None:
    """Odd numbers of rows, several leading dimensions, slices, and blocks of rows."""
    x, weight, bias = floats(*rows, k), floats(n, k), floats(n)
    residual, out = floats(*rows, n), np.full((*rows, n), np.nan, np.float32)
    stored, type_ = pack(weight, 3 * vector_bits // 32)
    types = [memref_type(a) for a in (x, x, bias, out, residual)]
    types[1] = type_
    text = linear(types, [f"i{d}" for d in range(len(rows))])
    exact = np.maximum(x.astype(np.float64) @ weight.T + bias + residual, 0)
    found: list[np.ndarray] = []
    for threads in (1, 4):
        result = out.copy()
        module = kernel(
            "contraction", types, text, vector_bits=vector_bits, threads=threads
        )
        run_kernel(module, [x, stored, bias, result, residual])
        error = np.linalg.norm(result - exact) / np.linalg.norm(exact)
        assert error < LARGEST_ERROR
        np.testing.assert_allclose(result, exact, rtol=1e-4, atol=1e-3)
        found.append(result)
    np.testing.assert_array_equal(found[0], found[1])


def test_epilogue_that_has_no_vectors() -> None:
    """It stays a loop of its own behind the product."""
    x, weight, bias = floats(40, 512), floats(96, 512), floats(96)
    out, residual = np.zeros((40, 96), np.float32), floats(40, 96)
    found = np.zeros((40, 96), np.int32)
    stored, type_ = pack(weight, 48)
    types = [memref_type(a) for a in (x, x, bias, out, residual, found)]
    types[1] = type_
    text = linear(types, ["i"], BRANCHES, result=5)
    run_kernel(
        kernel("contraction", types, text), [x, stored, bias, out, residual, found]
    )
    exact = x.astype(np.float64) @ weight.T
    np.testing.assert_allclose(out, exact, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(found, np.where(out < bias, 1, 2))


def test_blocks_cover_all_rows() -> None:
    for rows in (32, 33, 49, 63, 64, 65, 127, 128, 196, 197, 200, 1000, 1576):
        block = block_rows(rows)
        covered = -(-rows // (2 * block)) * block * 2
        assert rows <= covered < rows + 2 * block
        assert covered - rows <= max(8, rows // 16)


def test_slices_divide_the_depth() -> None:
    assert slice_depths(768, 16) == [256, 384]
    assert slice_depths(16 * 61, 16) == []
    assert slice_depths(264, 8) == [264]


@pytest.mark.usefixtures("shared_adders")
def test_stack_of_layers() -> None:
    torch.manual_seed(3)
    model = nn.Sequential(*(FeedForward(512, 1024) for _ in range(3))).eval()
    inputs = (torch.randn(1, 201, 512),)
    (exact,) = float64_outputs(model, inputs)
    exported = torch.export.export(model, inputs)
    program = devproc.compile(exported, threads=2, precision="fast", cache=False)
    assert program.ir("buffers").count("as #dev.strassen<") == 3 * 3
    (found,) = pytree.tree_leaves(program(*inputs))
    assert relative_error(found, exact) < LARGEST_ERROR
