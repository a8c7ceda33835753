"""A square of vectors turned over by shuffles; long sums, block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import structured_ops
from devproc.targets.cpu.transforms.loops.transpose import (
    transpose_blocks,
    transpose_lanes,
)
from devproc.targets.cpu.transforms.nests.block_sums import sum_in_blocks
from devproc.targets.cpu.transforms.nests.nest_emitter import Values
from tests.cpu.native_kernels import (
    PLAIN,
    kernel,
    kernel_of,
    memref_type,
    run_kernel,
)

RNG = np.random.default_rng(5)


def emitter_of(
    arrays: Sequence[np.ndarray], bits: int = 512
) -> tuple[Emitter, ModuleOp]:
    """An empty kernel of these arrays, and what emits into it."""
    types = [memref_type(array) for array in arrays]
    start = f"%zero = arith.constant 0.0 : f32\nlinalg.fill ins(%zero : f32) outs(%a1 : {types[1]})"
    module = kernel("pointwise", types, start, vector_bits=bits)
    return Emitter(kernel_of(module).body.block), module


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_transpose_lanes(lanes: int) -> None:
    x = RNG.standard_normal((lanes, lanes)).astype(np.float32)
    y = np.zeros_like(x)
    emitter, module = emitter_of([x, y], 32 * lanes)
    source, target = kernel_of(module).body.block.args

    def at(row: int) -> tuple[SSAValue, SSAValue]:
        return emitter.index(row), emitter.index(0)

    rows = [emitter.load_vector(source, at(r), lanes) for r in range(lanes)]
    for row, vector in enumerate(transpose_lanes(emitter, rows)):
        emitter.store_vector(vector, target, at(row))
    emitter.replace(structured_ops(kernel_of(module)))
    run_kernel(module, [x, y], PLAIN)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize(("lanes", "size"), [(4, 4), (8, 4), (16, 4), (8, 2), (8, 8)])
def test_transpose_blocks(lanes: int, size: int) -> None:
    """Rows of fewer elements than there are rows."""
    x = RNG.standard_normal((lanes, size)).astype(np.float32)
    y = np.zeros((size, lanes), np.float32)
    emitter, module = emitter_of([x, y], 32 * lanes)
    source, target = kernel_of(module).body.block.args

    def at(row: int) -> tuple[SSAValue, SSAValue]:
        return emitter.index(row), emitter.index(0)

    rows = [emitter.load_vector(source, at(r), size) for r in range(lanes)]
    for row, vector in enumerate(transpose_blocks(emitter, rows, size)):
        emitter.store_vector(vector, target, at(row))
    emitter.replace(structured_ops(kernel_of(module)))
    run_kernel(module, [x, y], PLAIN)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize(
    ("size", "block"),
    [(1, 1), (7, 7), (8, 8), (9, 5), (14, 7), (16, 8), (23, 8), (100, 5)],
)
def test_sum_in_blocks(size: int, block: int) -> None:
    """Each block of at most 8, equal ones where that can be, and then their sum."""
    x = (RNG.standard_normal(size) * 10.0 ** RNG.integers(-6, 7, size)).astype("f4")
    y = np.zeros(1, np.float32)
    emitter, module = emitter_of([x, y])
    source, target = kernel_of(module).body.block.args

    def terms(lower: SSAValue, count: int, carried: Values) -> Values:
        def term(index: SSAValue, sums: Values) -> Values:
            value = emitter.load(source, (index,))
            return [emitter.value(arith.AddfOp, (sums[0], value))]

        return emitter.loop(lower, emitter.offset(lower, count), 1, carried, term)

    start = [emitter.load(target, (emitter.index(0),))]
    (total,) = sum_in_blocks(emitter, size, start, terms, 8)
    emitter.store(total, target, (emitter.index(0),))
    emitter.replace(structured_ops(kernel_of(module)))
    run_kernel(module, [x, y], PLAIN)
    expected = np.float32(0)
    for first in range(0, size, block):
        part = np.float32(0)
        for value in x[first : first + block]:
            part = np.float32(part + value)
        expected = np.float32(expected + part)
    assert y[0] == expected
