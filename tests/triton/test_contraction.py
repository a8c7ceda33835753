"""Matrix products against torch: tl.dot tiles, batches, vectors, integers, float64."""

from __future__ import annotations

import pytest
import torch

from tests.triton.programs import batched_matmul, linear
from tests.triton.support import kernels, run

SIZES = pytest.mark.parametrize("big", [True, False], ids=["big", "gpu"])

FLOATS = {
    "f32": (torch.float32, 2e-6),
    "f16": (torch.float16, 2e-6),
    "bf16": (torch.bfloat16, 2e-6),
}


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize(
    ("m", "n", "k"), [(3, 5, 20), (70, 100, 75), (130, 65, 300), (17, 2, 1)]
)
def test_linear(m: int, n: int, k: int, element: str) -> None:
    dtype, tolerance = FLOATS[element]
    x, w, bias = (
        torch.randn(m, k).to(dtype),
        torch.randn(n, k).to(dtype),
        torch.randn(n),
    )
    out = torch.full((m, n), float("nan"))
    assert run(linear(m, n, k, element), x, w, bias, out) == 1
    wanted = x.double() @ w.double().T + bias
    scale = (x.double().abs() @ w.double().abs().T).max()
    torch.testing.assert_close(
        out.double(), wanted, rtol=0, atol=float(tolerance * scale) + 1e-7
    )


@pytest.mark.parametrize(("m", "n"), [(1, 40), (40, 1), (1, 1)])
def test_matrix_times_vector(m: int, n: int) -> None:
    x, w, bias = torch.randn(m, 70), torch.randn(n, 70), torch.randn(n)
    out = torch.empty(m, n)
    text = linear(m, n, 70)
    assert run(text, x, w, bias, out) == 1
    assert "tl.dot" not in kernels(text)[0].source
    torch.testing.assert_close(out, x @ w.T + bias, rtol=1e-5, atol=1e-5)


@SIZES
@pytest.mark.parametrize(
    ("element", "total", "dtype", "wide"),
    [
        ("i8", "i32", torch.int8, torch.int32),
        ("f64", "f64", torch.float64, torch.float64),
    ],
)
def test_types_that_tl_dot_has_not(
    element: str, total: str, dtype: torch.dtype, wide: torch.dtype, big: bool
) -> None:
    x, w = (torch.randint(-100, 100, shape).to(dtype) for shape in ((9, 50), (6, 50)))
    bias = torch.randint(-100, 100, (6,)).to(wide)
    out = torch.empty(9, 6, dtype=wide)
    run(linear(9, 6, 50, element, total), x, w, bias, out, big=big)
    assert torch.equal(out, x.to(wide) @ w.to(wide).T + bias)


@pytest.mark.parametrize("m", [1, 17])
def test_batches_that_share_an_operand(m: int) -> None:
    x, w = torch.randn(3, m, 20), torch.randn(1, 20, 9)
    out = torch.empty(3, m, 9)
    assert run(batched_matmul(3, m, 9, 20), x, w, out) == 1
    torch.testing.assert_close(out, x @ w, rtol=1e-5, atol=1e-5)


def test_padding_of_k_does_not_meet_infinity() -> None:
    x, w, bias = torch.randn(4, 17), torch.randn(5, 17), torch.zeros(5)
    x[1, 16], w[2, 3] = float("inf"), float("nan")
    out = torch.empty(4, 5)
    run(linear(4, 5, 17), x, w, bias, out)
    torch.testing.assert_close(out, x @ w.T, equal_nan=True, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("precision", "written"),
    [("strict", "ieee"), ("default", "tf32x3"), ("fast", "tf32")],
)
def test_precision_of_float32(precision: str, written: str) -> None:
    (kernel,) = kernels(linear(32, 32, 32), precision=precision)
    assert f'input_precision="{written}"' in kernel.source
