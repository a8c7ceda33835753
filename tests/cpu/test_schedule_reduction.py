"""Reduction schedules, executed and compared with NumPy and PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.cpu.native_kernels import (
    CPU_PASSES,
    PLAIN,
    SCHEDULED,
    generic,
    kernel,
    memref_type,
    run_kernel,
    run_passes,
)

RNG = np.random.default_rng(5)
F32 = {"sum": ("arith.addf", "0.0"), "max": ("arith.maximumf", "0xFF800000")}


def reduction(
    op: str,
    start: str,
    types: Sequence[str],
    maps: Sequence[str],
    loops: str,
    kinds: str,
) -> str:
    """Fill %a1, then reduce %a0 into it; `kinds` is p or r for each loop."""
    element = types[-1].removesuffix(">").split("x")[-1].removeprefix("memref<")
    iterators = [{"p": "parallel", "r": "reduction"}[k] for k in kinds]
    body = f"%r = {op} %y0, %x0 : {element}"
    return (
        f"%start = arith.constant {start} : {element}\n"
        f"linalg.fill ins(%start : {element}) outs(%a1 : {types[1]})\n"
        + generic(maps, iterators, types, 1, body, loops)
    )


def run(
    text: str,
    arrays: Sequence[np.ndarray],
    passes: Sequence[str] = CPU_PASSES,
    **options: int,
) -> list[np.ndarray]:
    """The kernel's arrays after a run."""
    copies = [a.copy() for a in arrays]
    types = [memref_type(a) for a in arrays]
    run_kernel(kernel("reduction", types, text, **options), copies, passes)  # type: ignore[arg-type]
    return copies


def is_vectorised(text: str, arrays: Sequence[np.ndarray]) -> bool:
    """Whether a schedule takes every op."""
    module = kernel("reduction", [memref_type(a) for a in arrays], text)
    return "linalg" not in str(run_passes(module, SCHEDULED))


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 5), (4, 16), (2, 64), (5, 77), (3, 1000)]
)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_rows(name: str, shape: tuple[int, int], vector_bits: int) -> None:
    x, y = RNG.standard_normal(shape).astype(np.float32), np.zeros(shape[0], np.float32)
    text = reduction(
        *F32[name], [memref_type(x), memref_type(y)], ["i, j", "i"], "i, j", "pr"
    )
    result = run(text, [x, y], vector_bits=vector_bits)[1]
    if name == "max":
        np.testing.assert_array_equal(result, x.max(1))
    else:
        np.testing.assert_allclose(
            result, x.astype(np.float64).sum(1), rtol=1e-6, atol=1e-5
        )
    if shape[1] > 1:
        assert is_vectorised(text, [x, y])


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ((50, 33), "rp"),
        ((4, 7, 20), "prp"),
        ((3, 5, 7, 9), "prpr"),
        ((3, 5, 7, 9), "rprp"),
        ((3, 5, 7, 9), "pprr"),
        ((3, 5, 7, 9), "rrrr"),
        ((2, 130, 300), "rpp"),
    ],
)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_axes(name: str, shape: tuple[int, ...], kinds: str) -> None:
    """Loops as the lowering makes them: the kept axes first, then the reduced ones."""
    axes = [d for d, k in enumerate(kinds) if k == "r"]
    kept = [d for d, k in enumerate(kinds) if k == "p"]
    order = [*kept, *axes]
    x = RNG.standard_normal(shape).astype(np.float32)
    y = np.zeros([shape[d] for d in kept], np.float32)
    read = ", ".join(f"d{order.index(d)}" for d in range(len(shape)))
    written = ", ".join(f"d{i}" for i in range(len(kept)))
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    sorted_kinds = "p" * len(kept) + "r" * len(axes)
    types = [memref_type(x), memref_type(y)]
    text = reduction(*F32[name], types, [read, written], loops, sorted_kinds)
    wanted = (
        x.astype(np.float64).sum(tuple(axes)) if name == "sum" else x.max(tuple(axes))
    )
    for passes in (CPU_PASSES, PLAIN):
        result = run(text, [x, y], passes)[1]
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=2e-5)
    assert is_vectorised(text, [x, y])


@pytest.mark.parametrize(
    "special", [[np.nan], [np.inf], [-np.inf], [np.nan, np.inf], [-0.0]]
)
def test_special_values(special: list[float]) -> None:
    x = RNG.standard_normal((2, 70)).astype(np.float32)
    for position, value in enumerate(special):
        x[0, 13 + 20 * position] = value
    y = np.zeros(2, np.float32)
    for name in F32:
        types = [memref_type(x), memref_type(y)]
        text = reduction(*F32[name], types, ["i, j", "i"], "i, j", "pr")
        result = run(text, [x, y])[1]
        with np.errstate(invalid="ignore"):
            wanted = x.sum(1) if name == "sum" else x.max(1)
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


def test_max_of_nothing_but_infinities() -> None:
    x = np.full((3, 37), -np.inf, np.float32)
    text = reduction(
        *F32["max"], [memref_type(x), "memref<3xf32>"], ["i, j", "i"], "i, j", "pr"
    )
    assert (run(text, [x, np.zeros(3, np.float32)])[1] == -np.inf).all()


@pytest.mark.parametrize(
    ("op", "start", "dtype", "numpy_op"),
    [
        ("arith.addi", "0", np.int32, np.sum),
        ("arith.maxsi", "-128", np.int8, np.max),
        ("arith.maxui", "0", np.uint8, np.max),
        ("arith.minsi", "9223372036854775807", np.int64, np.min),
        ("arith.mulf", "1.0", np.float64, np.prod),
    ],
)
def test_other_combiners(op: str, start: str, dtype: type, numpy_op: Any) -> None:
    x = RNG.integers(1, 90, (4, 83)).astype(dtype)
    if dtype == np.float64:
        x = RNG.uniform(0.9, 1.1, (4, 83))
    y = np.zeros(4, dtype)
    text = reduction(
        op, start, [memref_type(x), memref_type(y)], ["i, j", "i"], "i, j", "pr"
    )
    wanted = (
        numpy_op(x, axis=1, dtype=dtype) if numpy_op is np.sum else numpy_op(x, axis=1)
    )
    np.testing.assert_allclose(run(text, [x, y])[1], wanted, rtol=1e-13)
    assert is_vectorised(text, [x, y])


@pytest.mark.parametrize("size", [1000, 30_000, 1_000_000])
@pytest.mark.parametrize("axis", [0, 1])
def test_long_sums_err_no_more_than_pytorch(size: int, axis: int) -> None:
    """Against float64, at most twice the error of torch.sum; summands of one sign."""
    shape = (2, size) if axis == 1 else (size, 2)
    x = RNG.random(shape).astype(np.float32)
    y = np.zeros(2, np.float32)
    maps = ["i, j", "i"] if axis == 1 else ["j, i", "i"]
    text = reduction(*F32["sum"], [memref_type(x), memref_type(y)], maps, "i, j", "pr")
    exact = x.astype(np.float64).sum(axis)
    ours = np.abs(run(text, [x, y])[1] - exact).max()
    theirs = np.abs(torch.from_numpy(x).sum(axis).numpy() - exact).max()
    # One rounding of the result is nobody's fault.
    assert ours <= 2 * theirs + np.spacing(np.float32(exact.max()))


ARGMAX = """
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  linalg.fill ins(%lowest : f32) outs(%a1 : {value})
  linalg.fill ins(%zero : i64) outs(%a2 : {index})
  linalg.generic {{
    indexing_maps = [affine_map<(i, j) -> ({read})>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  }} ins(%a0 : {x}) outs(%a1, %a2 : {value}, {index}) {{
  ^bb0(%v: f32, %best: f32, %at: i64):
    %g = arith.cmpf ugt, %v, %best : f32
    %o = arith.cmpf ord, %best, %best : f32
    %b = arith.andi %g, %o : i1
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %n = arith.select %b, %v, %best : f32
    %m = arith.select %b, %k, %at : i64
    linalg.yield %n, %m : f32, i64
  }}"""


@pytest.mark.parametrize("read", ["i, j", "j, i"])
@pytest.mark.parametrize("columns", [1, 10, 16, 100, 1000])
def test_argmax(columns: int, read: str) -> None:
    x = RNG.integers(-5, 5, (8, columns)).astype(np.float32)
    x[1] = -np.inf
    x[2, columns // 2] = np.nan
    x[3, :] = np.nan
    x[4, -1] = np.inf
    x[5, columns // 3 :: 7] = np.nan
    source = x if read == "i, j" else np.ascontiguousarray(x.T)
    value, index = np.zeros(8, np.float32), np.zeros(8, np.int64)
    arrays = [source, value, index]
    text = ARGMAX.format(
        x=memref_type(source),
        value=memref_type(value),
        index=memref_type(index),
        read=read,
    )
    wanted = torch.from_numpy(x).argmax(1).numpy()
    for passes in (CPU_PASSES, PLAIN):
        result = run(text, arrays, passes)
        np.testing.assert_array_equal(result[2], np.argmax(x, 1))
        np.testing.assert_array_equal(x[range(8), result[2]], x[range(8), wanted])
        np.testing.assert_array_equal(result[1], np.max(x, 1))
    if columns > 1:
        assert is_vectorised(text, arrays)


def softmax(shape: tuple[int, int], read: str) -> str:
    """The chain of four ops; the exponentials lie in the result's memory."""
    rows = shape[0] if read == "i, j" else shape[1]
    x, m = f"memref<{shape[0]}x{shape[1]}xf32>", f"memref<{rows}xf32>"
    head = f"affine_map<(i, j) -> ({read})>, affine_map<(i, j) -> (i)>"
    return f"""
      %lowest = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %m = memref.alloca() : {m}
      %s = memref.alloca() : {m}
      linalg.fill ins(%lowest : f32) outs(%m : {m})
      linalg.generic {{indexing_maps = [{head}], iterator_types = ["parallel", "reduction"]}}
        ins(%a0 : {x}) outs(%m : {m}) {{
      ^bb0(%v: f32, %acc: f32):
        %r = arith.maximumf %v, %acc : f32
        linalg.yield %r : f32
      }}
      linalg.generic {{indexing_maps = [{head}, affine_map<(i, j) -> ({read})>],
        iterator_types = ["parallel", "parallel"]}}
        ins(%a0, %m : {x}, {m}) outs(%a1 : {x}) {{
      ^bb0(%v: f32, %most: f32, %unused: f32):
        %d = arith.subf %v, %most : f32
        %r = math.exp %d : f32
        linalg.yield %r : f32
      }}
      linalg.fill ins(%zero : f32) outs(%s : {m})
      linalg.generic {{indexing_maps = [{head}], iterator_types = ["parallel", "reduction"]}}
        ins(%a1 : {x}) outs(%s : {m}) {{
      ^bb0(%v: f32, %acc: f32):
        %r = arith.addf %v, %acc : f32
        linalg.yield %r : f32
      }}
      linalg.generic {{indexing_maps = [{head}, affine_map<(i, j) -> ({read})>],
        iterator_types = ["parallel", "parallel"]}}
        ins(%a1, %s : {x}, {m}) outs(%a1 : {x}) {{
      ^bb0(%e: f32, %total: f32, %unused: f32):
        %r = arith.divf %e, %total : f32
        linalg.yield %r : f32
      }}"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("columns", [1, 10, 16, 77, 128, 1000])
@pytest.mark.parametrize("axis", [0, 1])
def test_softmax(columns: int, axis: int, threads: int) -> None:
    rows = 300 if columns == 128 else 7
    x = (RNG.standard_normal((rows, columns)) * 9).astype(np.float32)
    x[1, columns // 2] = np.inf
    x[2, columns // 2] = np.nan
    source = x if axis == 1 else np.ascontiguousarray(x.T)
    shape = (source.shape[0], source.shape[1])
    text = softmax(shape, "i, j" if axis == 1 else "j, i")
    result = run(text, [source, np.zeros_like(source)], threads=threads)[1]
    wanted = torch.softmax(torch.from_numpy(source).double(), axis).numpy()
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-30)
    if axis == 1 and columns > 1:
        assert is_vectorised(text, [source, source])


def test_results_do_not_depend_on_threads() -> None:
    x = RNG.standard_normal((300, 129)).astype(np.float32)
    text = softmax((300, 129), "i, j")
    one, two = (run(text, [x, np.zeros_like(x)], threads=t)[1] for t in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_passes_of_softmax() -> None:
    """Three walks over the columns: largest; exponentials and sum; quotients."""
    module = kernel("reduction", ["memref<4x256xf32>"] * 2, softmax((4, 256), "i, j"))
    text = str(run_passes(module, SCHEDULED))
    assert text.count("scf.for") == 1 + 3
    assert text.count("vector.reduction") == 2


def test_resample_with_taps() -> None:
    """A gather: the weighted sum of neighbours that a table chooses."""
    x = RNG.standard_normal((9, 40)).astype(np.float32)
    first = RNG.integers(0, 7, 5).astype(np.int32)
    taps = RNG.random((5, 3)).astype(np.float32)
    y = np.zeros((5, 40), np.float32)
    types = [memref_type(a) for a in (x, first, taps, y)]
    text = f"""
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%a3 : {types[3]})
      linalg.generic {{indexing_maps = [affine_map<(o, c, t) -> (o)>,
          affine_map<(o, c, t) -> (o, t)>, affine_map<(o, c, t) -> (o, c)>],
        iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%a1, %a2 : {types[1]}, {types[2]}) outs(%a3 : {types[3]}) {{
      ^bb0(%f: i32, %w: f32, %acc: f32):
        %s = arith.index_cast %f : i32 to index
        %t = linalg.index 2 : index
        %n = arith.addi %s, %t : index
        %c = linalg.index 1 : index
        %v = memref.load %a0[%n, %c] : {types[0]}
        %p = arith.mulf %v, %w : f32
        %r = arith.addf %acc, %p : f32
        linalg.yield %r : f32
      }}"""
    wanted = np.stack([taps[o] @ x[f : f + 3] for o, f in enumerate(first)])
    for passes in (CPU_PASSES, PLAIN):
        result = y.copy()
        run_kernel(kernel("gather", types, text), [x, first, taps, result], passes)
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
    module = run_passes(kernel("gather", types, text), SCHEDULED)
    assert "linalg" not in str(module)
    assert "simd.gather" not in str(module), "neighbours in memory need no gather"
