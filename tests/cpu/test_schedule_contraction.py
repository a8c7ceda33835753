"""Contraction schedules, executed and compared with NumPy; the shape of the inner loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from xdsl.dialects import vector
from xdsl.dialects.builtin import ModuleOp

from devproc.targets.cpu import jit
from tests.cpu.assembly_loops import inner_loops, multiplications, stack_accesses
from tests.cpu.native_kernels import (
    CPU_PASSES,
    PLAIN,
    SCHEDULED,
    assembly_of,
    generic,
    kernel,
    memref_type,
    run_kernel,
    run_passes,
)

RNG = np.random.default_rng(3)
MULTIPLY_ADD = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"

EPILOGUE = """
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}}
    ins(%a3, %a2, %a4 : {out}, {bias}, {out}) outs(%a3 : {out}) {{
  ^bb0(%acc: f32, %b: f32, %res: f32, %unused: f32):
    %s = arith.addf %acc, %b : f32
    %t = arith.addf %s, %res : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %t, %zero : f32
    linalg.yield %r : f32
  }}"""


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def pack(weight: np.ndarray, axis: int, width: int) -> tuple[np.ndarray, str]:
    """The panels [N/width][K][width] of a matrix whose axis `axis` is n, and its type."""
    columns = weight if axis == 1 else weight.T
    k, n = columns.shape
    padded = np.zeros((k, -(-n // width) * width), weight.dtype)
    padded[:, :n] = columns
    panels = padded.reshape(k, -1, width).transpose(1, 0, 2)
    order, tiles = ([0, 1], [width, 1]) if axis == 0 else ([1, 0], [1, width])
    shape = "x".join(map(str, weight.shape))
    layout = f"#dev.layout<{order}, {tiles}>"
    return np.ascontiguousarray(
        panels
    ), f'memref<{shape}xf32, #dev.on<"cpu", {layout}>>'


def matmul(
    types: Sequence[str], maps: Sequence[str], loops: str, kinds: str, out: int = 2
) -> str:
    """Fill %a<out>, then the product of %a0 and %a1."""
    iterators = [{"p": "parallel", "r": "reduction"}[k] for k in kinds]
    text = generic(
        maps, iterators, [types[0], types[1], types[out]], 2, MULTIPLY_ADD, loops
    )
    if out != 2:
        text = text.replace("%a2", f"%a{out}")
    return f"""
      %start = arith.constant 0.0 : f32
      linalg.fill ins(%start : f32) outs(%a{out} : {types[out]})
      {text}"""


def count_fma(module: ModuleOp) -> list[int]:
    """Fused multiply-adds of each block that has some."""
    blocks: dict[int, int] = {}
    for op in module.walk():
        if isinstance(op, vector.FMAOp):
            blocks[id(op.parent)] = blocks.get(id(op.parent), 0) + 1
    return sorted(blocks.values(), reverse=True)


SHAPES = [
    (1, 1, 1), (1, 48, 64), (1, 33, 100), (3, 5, 7), (8, 48, 16), (13, 100, 37),
    (49, 96, 300), (197, 64, 65), (2, 200, 3), (30, 10, 64),
]  # fmt: skip


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", ["linear", "rows", "panels"])
def test_linear_with_epilogue(
    form: str, shape: tuple[int, int, int], vector_bits: int
) -> None:
    """x w + bias + residual, then relu; the weight [n, k] packed, or [k, n] both ways."""
    m, n, k = shape
    x, bias, residual, out = (
        floats(m, k),
        floats(n),
        floats(m, n),
        np.zeros((m, n), np.float32),
    )
    weight = floats(n, k) if form == "linear" else floats(k, n)
    width = 3 * vector_bits // 32 if n % 3 == 0 else 2 * vector_bits // 32
    stored, type_ = weight, memref_type(weight)
    if form != "rows":
        stored, type_ = pack(weight, 0 if form == "linear" else 1, width)
    types = [
        memref_type(x),
        type_,
        memref_type(bias),
        memref_type(out),
        memref_type(out),
    ]
    read = "j, k" if form == "linear" else "k, j"
    text = matmul(types, ["i, k", read, "i, j"], "i, j, k", "ppr", out=3)
    text += EPILOGUE.format(out=types[3], bias=types[2])
    product = x.astype(np.float64) @ (weight.T if form == "linear" else weight)
    wanted = np.maximum(product + bias + residual, 0)
    for passes in (CPU_PASSES, PLAIN):
        arrays = [x.copy(), stored.copy(), bias.copy(), out.copy(), residual.copy()]
        module = kernel("contraction", types, text, vector_bits=vector_bits)
        run_kernel(module, arrays, passes)
        np.testing.assert_allclose(arrays[3], wanted, rtol=1e-4, atol=1e-4)
    if n > 1:
        module = kernel("contraction", types, text, vector_bits=vector_bits)
        assert "linalg" not in str(run_passes(module, SCHEDULED))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(130, 100, 300), (5, 1000, 700), (300, 20, 513)])
def test_large(shape: tuple[int, int, int], threads: int) -> None:
    m, n, k = shape
    x, weight, out = floats(m, k), floats(k, n), np.zeros((m, n), np.float32)
    types = [memref_type(x), memref_type(weight), memref_type(out)]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    module = kernel("contraction", types, text, threads=threads)
    run_kernel(module, [x, weight, out])
    np.testing.assert_allclose(out, x.astype(np.float64) @ weight, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    "shape", [(600, 390, 192), (601, 390, 192), (290, 96, 1024), (40, 390, 192)]
)
def test_blocks_of_rows_and_panels_fetched_ahead(shape: tuple[int, int, int]) -> None:
    """Blocks of tall, short and both kinds of tiles, for every number of threads."""
    m, n, k = shape
    x, weight, found = floats(m, k), floats(n, k), list[NDArray[np.float32]]()
    stored, packed = pack(weight, 0, 32)
    for threads in (1, 2, 3):
        out = np.zeros((m, n), np.float32)
        types = [memref_type(x), packed, memref_type(out)]
        text = matmul(types, ["i, k", "j, k", "i, j"], "i, j, k", "ppr")
        module = kernel("contraction", types, text, threads=threads)
        assert "simd.prefetch" in str(run_passes(module, SCHEDULED))
        module = kernel("contraction", types, text, threads=threads)
        run_kernel(module, [x, stored, out])
        found.append(out)
    np.testing.assert_allclose(
        found[0], x.astype(np.float64) @ weight.T, rtol=1e-4, atol=1e-3
    )
    assert all(np.array_equal(found[0], other) for other in found[1:])


@pytest.mark.parametrize("rows", [1, 8])
def test_long_sums_err_no_more_than_twice_pytorch(rows: int) -> None:
    x, weight = floats(rows, 5000), floats(5000, 48)
    exact = x.astype(np.float64) @ weight
    theirs = np.linalg.norm(
        (torch.from_numpy(x) @ torch.from_numpy(weight)).numpy() - exact
    )
    out = np.zeros((rows, 48), np.float32)
    types = [memref_type(x), memref_type(weight), memref_type(out)]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    run_kernel(kernel("contraction", types, text), [x, weight, out])
    assert np.linalg.norm(out - exact) <= 2 * theirs


@pytest.mark.parametrize(
    ("maps", "a", "b"),
    [
        (["b, i, k", "b, k, j", "b, i, j"], (3, 9, 20), (3, 20, 50)),
        (["b, i, k", "k, j", "b, i, j"], (3, 9, 20), (20, 50)),
        (["b, i, k", "0, k, j", "b, i, j"], (3, 9, 20), (1, 20, 50)),
        (["0, i, k", "b, k, j", "b, i, j"], (1, 9, 20), (3, 20, 50)),
        (["b, i, k", "b, j, k", "b, i, j"], (3, 9, 20), (3, 50, 20)),
        (["b, k, i", "b, k, j", "b, i, j"], (3, 20, 9), (3, 20, 50)),
    ],
)
def test_batches(maps: list[str], a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y, out = floats(*a), floats(*b), np.zeros((3, 9, 50), np.float32)
    types = [memref_type(v) for v in (x, y, out)]
    text = matmul(types, maps, "b, i, j, k", "pppr")
    left = x.transpose(0, 2, 1) if maps[0] == "b, k, i" else x
    right = y.transpose(0, 2, 1) if maps[1] == "b, j, k" else y
    for passes in (CPU_PASSES, PLAIN):
        result = out.copy()
        run_kernel(kernel("contraction", types, text), [x, y, result], passes)
        np.testing.assert_allclose(
            result, left.astype(np.float64) @ right, rtol=1e-4, atol=1e-4
        )


def test_special_values_stay_in_their_place() -> None:
    x, y, out = floats(9, 20), floats(20, 33), np.zeros((9, 33), np.float32)
    x[3, 5], y[7, 20], x[5, 1] = np.inf, np.nan, -0.0
    types = [memref_type(v) for v in (x, y, out)]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    run_kernel(kernel("contraction", types, text), [x, y, out])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(out, x @ y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_other_types(dtype: type) -> None:
    x = RNG.integers(-9, 9, (7, 30)).astype(dtype)
    y = RNG.integers(-9, 9, (30, 21)).astype(dtype)
    out = np.zeros((7, 21), dtype)
    types = [memref_type(v) for v in (x, y, out)]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    if dtype is np.float64:
        text = text.replace("f32", "f64")
    else:
        text = text.replace("0.0 : f32", "0 : i32").replace("f32", "i32")
        text = text.replace("mulf", "muli").replace("addf", "addi")
    run_kernel(kernel("contraction", types, text), [x, y, out])
    np.testing.assert_array_equal(out, x @ y)


def test_half_precision_weights() -> None:
    x, y = floats(9, 40), floats(40, 50).astype(np.float16)
    out = np.zeros((9, 50), np.float32)
    types = [memref_type(v) for v in (x, y, out)]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    text = text.replace(
        "%p = arith.mulf %x0, %x1 : f32",
        "%w = arith.extf %x1 : f16 to f32\n%p = arith.mulf %x0, %w : f32",
    )
    run_kernel(kernel("contraction", types, text), [x, y, out])
    np.testing.assert_allclose(out, x @ y.astype(np.float64), rtol=1e-4, atol=1e-4)
    module = run_passes(kernel("contraction", types, text), SCHEDULED)
    assert "linalg" not in str(module)


@pytest.mark.parametrize(
    ("shape", "width", "vector_bits", "wanted"),
    [
        ((64, 96, 64), 48, 512, [24]),
        ((49, 96, 64), 48, 512, [21]),
        ((128, 64, 64), 32, 512, [16]),
        ((127, 64, 64), 32, 512, [22, 24]),
        ((64, 64, 64), 16, 256, [12, 10]),
        ((1, 48, 65), 48, 512, [6, 3]),
    ],
)
def test_inner_loop(
    shape: tuple[int, int, int], width: int, vector_bits: int, wanted: list[int]
) -> None:
    """Fused multiply-adds of the inner loops: rows times vectors of the register tile."""
    m, n, k = shape
    _, packed = pack(floats(k, n), 1, width)
    types = [f"memref<{m}x{k}xf32>", packed, f"memref<{m}x{n}xf32>"]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    module = kernel("contraction", types, text, vector_bits=vector_bits)
    found = count_fma(run_passes(module, SCHEDULED))
    assert set(found) == set(wanted)


@pytest.mark.parametrize("rows", [8, 200])
def test_inner_loop_stays_in_registers(rows: int) -> None:
    """The machine code of the innermost block: only multiply-adds, loads, no spills."""
    bits = jit.CPUTarget.host().vector_bits
    if "x86_64" not in jit.CPUTarget.host().triple or bits < 256:
        pytest.skip("reads the assembly of x86-64 with AVX2")
    width = 3 * bits // 32 if bits == 512 else 2 * bits // 32
    _, packed = pack(floats(200, 2 * width), 1, width)
    types = [f"memref<{rows}x200xf32>", packed, f"memref<{rows}x{2 * width}xf32>"]
    text = matmul(types, ["i, k", "k, j", "i, j"], "i, j, k", "ppr")
    module = run_passes(kernel("contraction", types, text, vector_bits=bits))
    loops = inner_loops(assembly_of(module))
    inner = max(loops, key=lambda loop: multiplications(loop, "x86_64"))
    assert multiplications(inner, "x86_64") >= (24 if bits == 512 else 8)
    assert not stack_accesses(inner, "x86_64"), "an accumulator was spilled"
