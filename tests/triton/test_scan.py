"""Scans against torch: any axis, several blocks along a row, places, NaN."""

from __future__ import annotations

import pytest
import torch

from devproc.targets.triton.aot import compile_kernel
from tests.triton.programs import memref, scan
from tests.triton.support import guarded, is_untouched, kernels, run

# Rows longer than one block, along the last dimension and another one.
SHAPES = [
    ((3, 5), 1),
    ((2, 7, 3), 1),
    ((5, 2), 0),
    ((2, 1030), 1),
    ((70, 3), 0),
    ((1,), 0),
]

SUM = "%r = arith.addf %a0, %b0 : f64"


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_sums_in_double(shape: tuple[int, ...], axis: int) -> None:
    x = torch.randn(shape)
    x.view(-1)[-1] = float("inf")
    (x, around), (out, buffer) = guarded(x), guarded(torch.zeros(shape))
    run(scan(shape, axis, "f32", ["f64"], ["0.0"], SUM), x, out)
    torch.testing.assert_close(out, x.double().cumsum(axis).float())
    assert is_untouched(around)
    assert is_untouched(buffer)


@pytest.mark.parametrize(
    ("element", "dtype"), [("f16", torch.float16), ("bf16", torch.bfloat16)]
)
def test_half_floats(element: str, dtype: torch.dtype) -> None:
    x = torch.randn(3, 41).to(dtype)
    out = torch.zeros_like(x)
    run(scan((3, 41), 1, element, ["f64"], ["0.0"], SUM), x, out)
    torch.testing.assert_close(out, x.double().cumsum(1).to(dtype))


@pytest.mark.parametrize(
    ("element", "dtype", "name", "start", "function"),
    [
        ("i64", torch.int64, "muli", "1", torch.cumprod),
        ("i8", torch.int8, "addi", "0", torch.cumsum),
        ("i8", torch.uint8, "maxui", "0", lambda x, axis: x.cummax(axis).values),
        ("i32", torch.int32, "minsi", "2147483647", lambda x, a: x.cummin(a).values),
    ],
)
def test_integers(element, dtype, name, start, function) -> None:
    """More than a block of the GPU each way; sums and products wrap."""
    x = torch.randint(-100, 100, (37, 41)).to(dtype)
    out = torch.zeros_like(x)
    body = f"%r = arith.{name} %a0, %b0 : {element}"
    run(scan((37, 41), 0, element, [element], [start], body), x, out)
    assert torch.equal(out, function(x, 0).to(dtype))


LARGEST = """
    %g = arith.cmpf oge, %b0, %a0 : f32
    %n = arith.cmpf uno, %b0, %b0 : f32
    %w = arith.ori %g, %n : i1
    %r = arith.select %w, %b0, %a0 : f32
    %p = arith.select %w, %b1, %a1 : i64"""


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_places_of_extremes(shape: tuple[int, ...], axis: int) -> None:
    x = torch.randint(-3, 3, shape).float()
    x.view(-1)[x.numel() * 2 // 3] = float("nan")
    x.view(-1)[:2] = float("-inf")
    v, i = torch.zeros(shape), torch.zeros(shape, dtype=torch.int64)
    starts = ["0xff800000", "0"]
    run(scan(shape, axis, "f32", ["f32", "i64"], starts, LARGEST), x, v, i)
    wanted = x.cummax(axis)
    torch.testing.assert_close(v, wanted.values, equal_nan=True)
    assert torch.equal(i, wanted.indices)


def test_places_that_nobody_reads() -> None:
    """They are kept in a temporary of the kernel."""
    places = memref((5, 83), "i64")
    text = scan((5, 83), 1, "f32", ["f32", "i64"], ["0xff800000", "0"], LARGEST)
    text = text.replace(f", %y1: {places}", "", 1).replace(
        "  linalg_ext.scan", f"  %y1 = memref.alloca() : {places}\n  linalg_ext.scan"
    )
    x, out = torch.randn(5, 83), torch.zeros(5, 83)
    run(text, x, out)
    assert torch.equal(out, x.cummax(1).values)


@pytest.mark.parametrize("axis", [0, 1])
def test_real_compiler_takes_them(axis: int) -> None:
    texts = [
        scan((3000, 2000), axis, "f32", ["f64"], ["0.0"], SUM),
        scan((3000, 2000), axis, "f32", ["f32", "i64"], ["0.0", "0"], LARGEST),
    ]
    for text in texts:
        (kernel,) = kernels(text, interpret=False)
        found = compile_kernel(kernel).resources()
        assert found.spilled_bytes == 0
        assert found.registers <= 128


def test_no_rows_and_no_columns() -> None:
    for shape in ((0, 3), (3, 0)):
        x, out = torch.zeros(shape), torch.zeros(shape)
        run(scan(shape, 1, "f32", ["f64"], ["0.0"], SUM), x, out)
