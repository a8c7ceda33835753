"""Row kernels against torch: softmax, sums, extremes, argmax; any axis, NaN, ties."""

from __future__ import annotations

import pytest
import torch

from tests.triton.programs import argmax, reduction, softmax
from tests.triton.support import run


@pytest.mark.parametrize(
    ("shape", "axis"), [((6, 10), 1), ((3, 5, 1000), 2), ((2, 7, 3, 4), 1), ((1, 1), 1)]
)
def test_softmax_is_one_kernel(shape: tuple[int, ...], axis: int) -> None:
    x = torch.randn(shape) * 5
    x.view(-1)[0] = float("inf") if x.numel() > 50 else 1.0
    x.view(-1)[-1] = float("nan") if x.numel() > 50 else 1.0
    rows = [n for d, n in enumerate(shape) if d != axis]
    m, s = torch.empty(rows), torch.empty(rows)
    e, out = torch.empty(shape), torch.empty(shape)
    assert run(softmax(shape, axis), x, m, e, s, out) == 1
    torch.testing.assert_close(out, x.softmax(axis), equal_nan=True)


REDUCTIONS = [
    ("f32", "0.0", "%r = arith.addf %o0, %a : f32", torch.float32, torch.sum),
    ("f64", "0.0", "%r = arith.addf %o0, %a : f64", torch.float64, torch.sum),
    ("i32", "0", "%r = arith.addi %o0, %a : i32", torch.int32, torch.sum),
    (
        "f32",
        "0xff800000",
        "%r = arith.maximumf %a, %o0 : f32",
        torch.float32,
        torch.amax,
    ),
    (
        "f32",
        "0x7f800000",
        "%r = arith.minimumf %a, %o0 : f32",
        torch.float32,
        torch.amin,
    ),
    ("i8", "-128", "%r = arith.maxsi %a, %o0 : i8", torch.int8, torch.amax),
    ("i8", "0", "%r = arith.maxui %a, %o0 : i8", torch.uint8, torch.amax),
    ("i8", "-1", "%r = arith.minui %a, %o0 : i8", torch.uint8, torch.amin),
    (
        "i64",
        "9223372036854775807",
        "%r = arith.minsi %a, %o0 : i64",
        torch.int64,
        torch.amin,
    ),
    ("i1", "0", "%r = arith.ori %a, %o0 : i1", torch.bool, torch.any),
    ("i1", "1", "%r = arith.andi %a, %o0 : i1", torch.bool, torch.all),
    ("f32", "1.0", "%r = arith.mulf %a, %o0 : f32", torch.float32, torch.prod),
]


@pytest.mark.parametrize(("element", "start", "body", "dtype", "function"), REDUCTIONS)
def test_reductions(element, start, body, dtype, function) -> None:
    x = torch.randint(-100, 100, (5, 13, 3)).to(dtype)
    if dtype.is_floating_point:
        x = torch.randn(5, 13, 3).to(dtype)
    if dtype == torch.bool:
        x = torch.rand(5, 13, 3) < torch.tensor([0.0, 0.5, 1.0])
    wanted = function(x, 1).to(dtype)
    out = torch.zeros_like(wanted)
    run(reduction((5, 13, 3), 1, element, start, body), x, out)
    torch.testing.assert_close(out, wanted)


@pytest.mark.parametrize("name", ["maximumf", "minimumf"])
def test_nan_wins_and_infinity_stays(name: str) -> None:
    x = torch.randn(4, 9)
    x[1, 8], x[2, 0], x[2, 1] = float("nan"), float("inf"), float("-inf")
    x[3] = float("-inf") if name == "maximumf" else float("inf")
    start = "0xff800000" if name == "maximumf" else "0x7f800000"
    body = f"%r = arith.{name} %a, %o0 : f32"
    out = torch.empty(4)
    run(reduction((4, 9), 1, "f32", start, body), x, out)
    wanted = x.amax(1) if name == "maximumf" else x.amin(1)
    torch.testing.assert_close(out, wanted, equal_nan=True)


def test_a_row_too_long_for_one_program() -> None:
    columns = (1 << 14) + 5
    x, out = torch.randint(-5, 5, (2, columns)).float(), torch.empty(2)
    body = "%r = arith.addf %o0, %a : f32"
    run(reduction((2, columns), 1, "f32", "0.0", body), x, out)
    torch.testing.assert_close(out, x.sum(1))


def test_argmax_takes_the_first_and_nan_before_all() -> None:
    x = torch.randint(-2, 3, (9, 23)).float()
    x[1, 8] = x[1, 4] = float("nan")
    x[1, 0], x[3], x[4, 5] = float("inf"), float("-inf"), float("inf")
    v, i = torch.empty(9), torch.empty(9, dtype=torch.int64)
    run(argmax(9, 23), x, v, i)
    assert torch.equal(i, x.argmax(1))
    torch.testing.assert_close(v, x.amax(1), equal_nan=True)


@pytest.mark.parametrize(
    ("element", "predicate", "dtype"),
    [
        ("i8", "ugt", torch.uint8),
        ("i8", "sgt", torch.int8),
        ("i32", "sgt", torch.int32),
    ],
)
def test_argmax_of_integers(element: str, predicate: str, dtype: torch.dtype) -> None:
    x = torch.randint(-128, 256, (7, 40)).to(dtype)
    v, i = torch.empty(7, dtype=dtype), torch.empty(7, dtype=torch.int64)
    run(argmax(7, 40, element, predicate), x, v, i)
    assert torch.equal(v, x.amax(1))
    # torch promises no order among equal integers.
    first = (x == x.amax(1, keepdim=True)).int().argmax(1)
    assert torch.equal(i, first)
