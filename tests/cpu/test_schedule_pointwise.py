"""Pointwise schedules, executed and compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

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

RNG = np.random.default_rng(11)

RELU = "%z = arith.constant 0.0 : f32\n%r = arith.maximumf %x0, %z : f32"
ADD = "%r = arith.addf %x0, %x1 : f32"
Reference = Callable[..., np.ndarray]


def floats(*shape: int) -> np.ndarray:
    """Random numbers with the values that trip up comparisons among them."""
    x = RNG.standard_normal(shape).astype(np.float32)
    flat = x.reshape(-1)
    for index, value in enumerate([np.nan, np.inf, -np.inf, -0.0, 0.0]):
        if flat.size > 7:
            flat[(index * 7) % flat.size] = value
    return x


def check(
    maps: Sequence[str],
    loops: str,
    inputs: Sequence[np.ndarray],
    output: np.ndarray,
    body: str,
    wanted: np.ndarray,
    *,
    vector_bits: int = 512,
    scheduled: bool = True,
) -> None:
    """Run scheduled and as plain loops; both must give what is wanted."""
    arrays = [*inputs, output]
    types = [memref_type(a) for a in arrays]
    text = generic(
        maps, ["parallel"] * len(loops.split(",")), types, len(inputs), body, loops
    )
    for passes in (CPU_PASSES, PLAIN):
        module = kernel("pointwise", types, text, vector_bits=vector_bits)
        result = np.zeros_like(output)
        run_kernel(module, [*(a.copy() for a in inputs), result], passes)
        np.testing.assert_array_equal(result, wanted)
    module = run_passes(kernel("pointwise", types, text), SCHEDULED)
    assert ("linalg.generic" not in str(module)) == scheduled


SHAPES = [(1,), (7,), (16,), (64,), (1000,), (3, 5), (5, 16), (2, 3, 33), (9, 1, 70)]


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("shape", SHAPES)
def test_relu(shape: tuple[int, ...], vector_bits: int) -> None:
    x = floats(*shape)
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    wanted, vectors = np.maximum(x, 0), x.size > 1
    check(
        [loops] * 2, loops, [x], x, RELU, wanted,
        vector_bits=vector_bits, scheduled=vectors,
    )  # fmt: skip


def test_large_is_split_over_threads() -> None:
    x, y = floats(130_003), floats(130_003)
    check(["i"] * 3, "i", [x, y], x, ADD, x + y)
    x, y = floats(3, 50_001), floats(3, 50_001)
    check(["i, j"] * 3, "i, j", [x, y], x, ADD, x + y)
    x, y = floats(200, 501), floats(501)
    check(["i, j", "j", "i, j"], "i, j", [x, y], x, ADD, x + y)


@pytest.mark.parametrize(
    ("map_", "shape"),
    [("j", (37,)), ("i, 0", (6, 1)), ("0, j", (1, 37)), ("0, 0", (1, 1)), ("i", (6,))],
)
def test_broadcast(map_: str, shape: tuple[int, ...]) -> None:
    x, y = floats(6, 37), floats(*shape)
    wanted = x + (y[:, None] if map_ == "i" else y)
    check(["i, j", map_, "i, j"], "i, j", [x, y], x, ADD, wanted)


@pytest.mark.parametrize("shape", [(16, 16), (5, 33), (40, 3), (1, 20), (20, 1)])
def test_transpose(shape: tuple[int, int]) -> None:
    x = floats(*shape)
    wanted = np.ascontiguousarray(x.T)
    check(
        ["j, i", "i, j"],
        "i, j",
        [x],
        wanted,
        "%r = arith.addf %x0, %x0 : f32",
        wanted * 2,
    )


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("shape", [(16, 16), (5, 33), (40, 3), (19, 45), (1, 20)])
def test_turn(shape: tuple[int, int], vector_bits: int) -> None:
    """Contiguous backwards along the loop that is not vectorised."""
    x = floats(*shape)
    wanted = np.ascontiguousarray(x[:, ::-1].T)
    maps = [f"j, i * -1 + {shape[1] - 1}", "i, j"]
    body = "%r = arith.addf %x0, %x0 : f32"
    check(maps, "i, j", [x], wanted, body, wanted * 2, vector_bits=vector_bits)


def test_channels_last_to_first() -> None:
    x = RNG.integers(0, 256, (9, 21, 3), np.uint8)
    body = "%w = arith.extui %x0 : i8 to i32\n%r = arith.sitofp %w : i32 to f32"
    wanted = np.ascontiguousarray(x.transpose(2, 0, 1)).astype(np.float32)
    check(["h, w, c", "c, h, w"], "c, h, w", [x], wanted, body, wanted)
    direct = "%r = arith.uitofp %x0 : i8 to f32"
    check(["h, w, c", "c, h, w"], "c, h, w", [x], wanted, direct, wanted)


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("channels", [2, 3, 4])
def test_channels_last(channels: int, vector_bits: int) -> None:
    """Other orders, mirrored, a number for each channel, and from planes."""
    x = RNG.integers(0, 256, (3, 37, channels), np.uint8)
    copy = "%r = arith.addi %x0, %x0 : i8"
    loops, same = "h, w, c", "h, w, c"
    for map_, wanted in (
        (f"h, w, c * -1 + {channels - 1}", x[..., ::-1]),
        ("h, w * -1 + 36, c", x[:, ::-1]),
        (f"h, w * -1 + 36, c * -1 + {channels - 1}", x[:, ::-1, ::-1]),
    ):
        result = np.ascontiguousarray(wanted) * np.uint8(2)
        check([map_, same], loops, [x], x, copy, result, vector_bits=vector_bits)
    y, mean = floats(5, 29, channels), floats(channels)
    check(
        [same, "c", same], loops, [y, mean], y, ADD, y + mean, vector_bits=vector_bits
    )
    planes = np.ascontiguousarray(y.transpose(2, 0, 1))
    check(
        ["c, h, w", same, same], loops, [planes, y], y, ADD, y + y,
        vector_bits=vector_bits,
    )  # fmt: skip


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
@pytest.mark.parametrize("size", [3, 16, 70])
def test_backwards(size: int, vector_bits: int) -> None:
    x = floats(2, size)
    maps = [f"i, j * -1 + {size - 1}", "i, j", "i, j"]
    check(maps, "i, j", [x, x], x, ADD, x[:, ::-1] + x, vector_bits=vector_bits)
    wide = floats(2, 3 * size)
    maps[0] = f"i, j * -3 + {3 * size - 2}"
    wanted = wide[:, ::-1][:, 1::3] + x
    check(maps, "i, j", [wide, x], x, ADD, wanted, vector_bits=vector_bits)


def test_index_and_compare_to_bool() -> None:
    x = floats(4, 19)
    body = """
      %j = linalg.index 1 : index
      %i = linalg.index 0 : index
      %s = arith.addi %i, %j : index
      %k = arith.index_cast %s : index to i32
      %f = arith.sitofp %k : i32 to f32
      %r = arith.cmpf ogt, %x0, %f : f32"""
    i, j = np.mgrid[:4, :19]
    check(["i, j"] * 2, "i, j", [x], np.zeros((4, 19), bool), body, x > i + j)


def test_select_by_bool() -> None:
    c, x, y = RNG.random((3, 21)) > 0.5, floats(3, 21), floats(21)
    body = "%r = arith.select %x0, %x1, %x2 : f32"
    check(["i, j", "i, j", "j", "i, j"], "i, j", [c, x, y], x, body, np.where(c, x, y))


def test_integers_do_not_divide_by_zero_behind_the_end() -> None:
    x = RNG.integers(-99, 99, (21,)).astype(np.int64)
    y = RNG.integers(1, 9, (21,)).astype(np.int64)
    wanted = np.trunc(x / y).astype(np.int64)
    check(["i"] * 3, "i", [x, y], x, "%r = arith.divsi %x0, %x1 : i64", wanted)


def test_window_of_a_wider_input() -> None:
    """Maps with offsets: the middle of a padded image."""
    x = floats(7, 24)
    wanted = np.ascontiguousarray(x[1:6, 2:21])
    check(
        ["i + 1, j + 2", "i, j"],
        "i, j",
        [x],
        wanted,
        "%r = arith.addf %x0, %x0 : f32",
        2 * wanted,
    )


def test_strided_read() -> None:
    x = floats(5, 41)
    wanted = np.ascontiguousarray(x[:, ::2]) * 2
    check(
        ["i, j * 2", "i, j"],
        "i, j",
        [x],
        wanted,
        "%r = arith.addf %x0, %x0 : f32",
        wanted,
    )


def test_gather_from_memory() -> None:
    """The body picks elements at indices that another operand holds."""
    table, rows = floats(13, 6), RNG.integers(0, 13, (29,)).astype(np.int32)
    body = """
      %i = arith.index_cast %x0 : i32 to index
      %c = arith.constant 4 : index
      %r = memref.load %a0[%i, %c] : memref<13x6xf32>"""
    types = [memref_type(table), memref_type(rows), "memref<29xf32>"]
    text = generic(["i", "i"], ["parallel"], types[1:], 1, body, "i", first=1)
    for passes in (CPU_PASSES, PLAIN):
        result = np.zeros(29, np.float32)
        run_kernel(kernel("gather", types, text), [table, rows, result], passes)
        np.testing.assert_array_equal(result, table[rows, 4])


def test_two_results_and_fill() -> None:
    x = floats(3, 50)
    types = [memref_type(x)] * 3
    text = """
      %seven = arith.constant 7.0 : f32
      linalg.fill ins(%seven : f32) outs(%a2 : memref<3x50xf32>)
      linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%a0 : memref<3x50xf32>) outs(%a1, %a2 : memref<3x50xf32>, memref<3x50xf32>) {
      ^bb0(%x: f32, %u: f32, %old: f32):
        %n = arith.negf %x : f32
        %s = arith.addf %x, %old : f32
        linalg.yield %n, %s : f32, f32
      }"""
    negative, sum_ = np.zeros_like(x), np.zeros_like(x)
    run_kernel(kernel("pointwise", types, text), [x, negative, sum_])
    np.testing.assert_array_equal(negative, -x)
    np.testing.assert_array_equal(sum_, x + 7)


def test_exp_of_every_kind_of_number() -> None:
    numbers = [-np.inf, -200, -100, -1, -0.0, 0, 1, 88.5, 89, np.inf, np.nan]
    x = np.array(numbers * 3, np.float32)
    types = [memref_type(x)] * 2
    text = generic(["i", "i"], ["parallel"], types, 1, "%r = math.exp %x0 : f32", "i")
    result = np.zeros_like(x)
    run_kernel(kernel("pointwise", types, text), [x, result])
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(
            result, np.exp(x.astype(np.float64)).astype(np.float32), rtol=2e-7
        )


def test_empty() -> None:
    x = np.zeros((0, 5), np.float32)
    check(["i, j"] * 2, "i, j", [x], x, RELU, x, scheduled=False)
