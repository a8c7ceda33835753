"""Elementwise kernels against torch: every op, every dtype, odd shapes, NaN, infinity."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
import torch

from tests.triton.programs import elementwise, transpose
from tests.triton.support import run

Function = Callable[..., torch.Tensor]

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
}

SPECIALS = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-30]


def half_away(x: torch.Tensor) -> torch.Tensor:
    """Round half away from zero."""
    return torch.copysign(torch.floor(x.abs() + 0.5), x)


UNARY: dict[str, tuple[Function, float, float]] = {
    "exp": (torch.exp, -20, 20),
    "exp2": (torch.exp2, -20, 20),
    "log": (torch.log, 0, 100),
    "log2": (torch.log2, 0, 100),
    "sqrt": (torch.sqrt, 0, 100),
    "rsqrt": (torch.rsqrt, 0, 100),
    "sin": (torch.sin, -7, 7),
    "cos": (torch.cos, -7, 7),
    "erf": (torch.erf, -4, 4),
    "absf": (torch.abs, -5, 5),
    "floor": (torch.floor, -9, 9),
    "ceil": (torch.ceil, -9, 9),
    "tanh": (torch.tanh, -8, 8),
    "expm1": (torch.expm1, -3, 3),
    "log1p": (torch.log1p, -1, 9),
    "log10": (torch.log10, 0, 100),
    "atan": (torch.atan, -9, 9),
    "asin": (torch.asin, -1, 1),
    "acos": (torch.acos, -1, 1),
    "sinh": (torch.sinh, -5, 5),
    "cosh": (torch.cosh, -5, 5),
    "asinh": (torch.asinh, -9, 9),
    "acosh": (torch.acosh, 1, 9),
    "atanh": (torch.atanh, -1, 1),
    "tan": (torch.tan, -1.5, 1.5),
    "round": (half_away, -9, 9),
    "roundeven": (torch.round, -9, 9),
    "trunc": (torch.trunc, -9, 9),
}
"""math op -> its meaning and the range to draw from."""


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_math(name: str, element: str) -> None:
    function, low, high = UNARY[name]
    dtype = DTYPES[element]
    x = torch.empty(3, 7, 11, dtype=torch.float64).uniform_(low, high)
    x.view(-1)[: len(SPECIALS)] = torch.tensor(SPECIALS, dtype=torch.float64)
    x = x.to(dtype)
    out = torch.empty_like(x)
    run(
        elementwise(f"%r = math.{name} %a : {element}", element, (3, 7, 11), element),
        x,
        out,
    )
    wanted = function(x.double()).to(dtype)
    tolerance = {"f64": 1e-15, "f32": 4e-7, "f16": 1e-3, "bf16": 8e-3}[element]
    torch.testing.assert_close(out, wanted, rtol=tolerance, atol=0, equal_nan=True)
    zero = wanted == 0
    assert torch.equal(out[zero].signbit(), wanted[zero].signbit())


WRITTEN_OUT = (
    *("expm1", "log1p", "log10", "atan", "asin", "acos", "sinh", "cosh", "asinh"),
    *("acosh", "atanh", "tan"),
)
"""What has no form in Triton and is computed in f64."""


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_any_float32_is_rounded_once(name: str) -> None:
    """Any bits: every exponent, denormals, infinities, NaN; in odd numbers."""
    bits = torch.randint(-(2**31), 2**31, (9999,), dtype=torch.int64)
    x = bits.to(torch.int32).view(torch.float32)
    out = torch.empty_like(x)
    run(elementwise(f"%r = math.{name} %a : f32", "f32", (9999,), "f32"), x, out)
    wanted = UNARY[name][0](x.double()).float()
    torch.testing.assert_close(out, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", ["tanh", "expm1", "sinh", "atanh", "asinh"])
def test_small_float64_keep_their_digits(name: str) -> None:
    x = torch.logspace(-12, -0.3, 501, dtype=torch.float64)
    out = torch.empty_like(x)
    run(elementwise(f"%r = math.{name} %a : f64", "f64", (501,), "f64"), x, out)
    torch.testing.assert_close(out, UNARY[name][0](x), rtol=8e-16, atol=0)


def test_power_is_accurate_up_to_overflow() -> None:
    """mpmath's numbers: a power in float64 loses digits without a longer logarithm."""
    x = torch.logspace(-30, 30, 203, dtype=torch.float64)
    y = torch.linspace(-9, 9, 203, dtype=torch.float64).flip(0) + 1
    out = torch.empty_like(x)
    text = elementwise("%r = math.powf %a, %b : f64", "f64", (203,), "f64", "f64")
    run(text, x, y, out)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(a) ** mpmath.mpf(b) for a, b in zip(x.tolist(), y.tolist())]
    wanted = torch.tensor([float(v) for v in exact], dtype=torch.float64)
    torch.testing.assert_close(out, wanted, rtol=5e-16, atol=0)


def test_power_beyond_the_range_is_infinite() -> None:
    x = torch.tensor([1e200, 1e-200, 2.0, -3.0, 5e-324], dtype=torch.float64)
    y = torch.tensor([1.543, -1.543, 1025.0, 701.0, -1.0], dtype=torch.float64)
    out = torch.empty_like(x)
    text = elementwise("%r = math.powf %a, %b : f64", "f64", (5,), "f64", "f64")
    run(text, x, y, out)
    assert out.tolist() == torch.pow(x, y).tolist()


def test_tanh_is_accurate_near_zero() -> None:
    x = torch.logspace(-30, 1.5, 999) * torch.tensor([1.0, -1.0, 1.0]).repeat(333)
    out = torch.empty_like(x)
    run(elementwise("%r = math.tanh %a : f32", "f32", (999,), "f32"), x, out)
    torch.testing.assert_close(
        out.double(), x.double().tanh(), rtol=3 * 2.0**-23, atol=0
    )


def test_strict_exp_is_as_good_as_torch() -> None:
    x = torch.linspace(-100, 89, 4001)
    x[:3] = torch.tensor([float("inf"), float("-inf"), float("nan")])
    out = torch.empty_like(x)
    text = elementwise("%r = math.exp %a : f32", "f32", (4001,), "f32")
    run(text, x, out, precision="strict")
    torch.testing.assert_close(
        out.double(), x.exp().double(), rtol=2.0**-22, atol=2e-45, equal_nan=True
    )


BINARY: dict[str, Function] = {
    "arith.addf": torch.add,
    "arith.subf": torch.sub,
    "arith.mulf": torch.mul,
    "arith.divf": torch.div,
    "arith.maximumf": torch.maximum,
    "arith.minimumf": torch.minimum,
    "arith.maxnumf": torch.fmax,
    "arith.minnumf": torch.fmin,
    "math.powf": torch.pow,
    "math.atan2": torch.atan2,
    "math.copysign": torch.copysign,
}


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_math(name: str, element: str) -> None:
    dtype = DTYPES[element]
    x, y = (torch.randn(65, dtype=torch.float64) * 3 for _ in range(2))
    if name != "math.atan2":
        y[:30] = torch.round(y[:30])
        x[5], y[7], x[9] = float("nan"), float("nan"), float("inf")
    x, y = x.to(dtype), y.to(dtype)
    out = torch.empty_like(x)
    run(
        elementwise(
            f"%r = {name} %a, %b : {element}", element, (65,), element, element
        ),
        x,
        y,
        out,
    )
    wanted = BINARY[name](x.double(), y.double()).to(dtype)
    tolerance = {"f64": 1e-15, "f32": 4e-7, "f16": 1e-3, "bf16": 8e-3}[element]
    torch.testing.assert_close(out, wanted, rtol=tolerance, atol=0, equal_nan=True)


def trunc_div(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Division that rounds towards zero."""
    return torch.div(x, y, rounding_mode="trunc")


def shift_unsigned(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A logical shift to the right."""
    bits = x.element_size() * 8
    mask = (1 << bits) - 1
    return ((x.long() & mask) >> y.long()).to(x.dtype)


INTEGER: dict[str, Function] = {
    "addi": torch.add,
    "subi": torch.sub,
    "muli": torch.mul,
    "divsi": trunc_div,
    "remsi": torch.fmod,
    "floordivsi": torch.floor_divide,
    "andi": torch.bitwise_and,
    "ori": torch.bitwise_or,
    "xori": torch.bitwise_xor,
    "maxsi": torch.maximum,
    "minsi": torch.minimum,
    "shli": torch.bitwise_left_shift,
    "shrsi": torch.bitwise_right_shift,
    "shrui": shift_unsigned,
}


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("name", INTEGER)
def test_integers(name: str, dtype: torch.dtype) -> None:
    element = f"i{dtype.itemsize * 8}"
    top = torch.iinfo(dtype).max
    x = torch.randint(-top, top, (45,)).to(dtype)
    y = torch.randint(1, 7, (45,)).to(dtype)
    if name in ("divsi", "remsi", "floordivsi"):
        y[::2] *= -1
    out = torch.empty_like(x)
    run(
        elementwise(
            f"%r = arith.{name} %a, %b : {element}", element, (45,), element, element
        ),
        x,
        y,
        out,
    )
    assert torch.equal(out, INTEGER[name](x, y))


def test_unsigned_bytes() -> None:
    x, y = (torch.randint(0, 256, (200,), dtype=torch.uint8) for _ in range(2))
    out = torch.empty_like(x)
    for name, function in (("maxui", torch.maximum), ("minui", torch.minimum)):
        run(
            elementwise(f"%r = arith.{name} %a, %b : i8", "i8", (200,), "i8", "i8"),
            x,
            y,
            out,
        )
        assert torch.equal(out, function(x, y))
    divisor = y.clamp(min=1)
    run(
        elementwise("%r = arith.divui %a, %b : i8", "i8", (200,), "i8", "i8"),
        x,
        divisor,
        out,
    )
    assert torch.equal(out, x // divisor)


CASTS = [
    ("i8", "extui", "i32", torch.uint8, torch.int32),
    ("i8", "extsi", "i64", torch.int8, torch.int64),
    ("i8", "uitofp", "f32", torch.uint8, torch.float32),
    ("i8", "uitofp", "bf16", torch.uint8, torch.bfloat16),
    ("i8", "sitofp", "f16", torch.int8, torch.float16),
    ("i64", "sitofp", "f64", torch.int64, torch.float64),
    ("i32", "trunci", "i8", torch.int32, torch.int8),
    ("f32", "fptosi", "i32", torch.float32, torch.int32),
    ("bf16", "fptosi", "i16", torch.bfloat16, torch.int16),
    ("f32", "truncf", "bf16", torch.float32, torch.bfloat16),
    ("f64", "truncf", "f16", torch.float64, torch.float16),
    ("f16", "extf", "f64", torch.float16, torch.float64),
    ("bf16", "extf", "f32", torch.bfloat16, torch.float32),
    ("i1", "uitofp", "f32", torch.bool, torch.float32),
    ("i1", "extui", "i64", torch.bool, torch.int64),
]


@pytest.mark.parametrize(("source", "cast", "target", "have", "want"), CASTS)
def test_casts(
    source: str, cast: str, target: str, have: torch.dtype, want: torch.dtype
) -> None:
    if have.is_floating_point:
        x = (torch.randn(77) * 100).to(have)
    else:
        x = torch.randint(0, 256, (77,)).to(have)
    out = torch.empty(77, dtype=want)
    run(
        elementwise(
            f"%r = arith.{cast} %a : {source} to {target}", target, (77,), source
        ),
        x,
        out,
    )
    assert torch.equal(out, x.to(want))


@pytest.mark.parametrize(
    ("predicate", "function"),
    [
        ("olt", torch.lt),
        ("oge", torch.ge),
        ("oeq", torch.eq),
        ("une", torch.ne),
        ("uno", lambda x, y: x.isnan() | y.isnan()),
        ("ord", lambda x, y: ~(x.isnan() | y.isnan())),
        ("ugt", lambda x, y: ~(x <= y)),
        ("ule", lambda x, y: ~(x > y)),
        ("one", lambda x, y: (x < y) | (x > y)),
        ("ueq", lambda x, y: ~((x < y) | (x > y))),
    ],
)
def test_float_comparisons(predicate: str, function: Function) -> None:
    x, y = (torch.randint(-2, 3, (90,)).float() for _ in range(2))
    x[::7], y[::5] = float("nan"), float("nan")
    out = torch.empty(90, dtype=torch.bool)
    run(
        elementwise(
            f"%r = arith.cmpf {predicate}, %a, %b : f32", "i1", (90,), "f32", "f32"
        ),
        x,
        y,
        out,
    )
    assert torch.equal(out, function(x, y))


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((5, 33, 7), (2, 0, 1)),
        ((64, 100), (1, 0)),
        ((2, 3, 4, 5), (0, 3, 1, 2)),
        ((1, 9), (1, 0)),
    ],
)
def test_transposes(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    wanted = x.permute(order).contiguous()
    out = torch.empty_like(wanted)
    run(transpose(shape, order), x, out)
    assert torch.equal(out, wanted)


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 1024, 5000])
def test_tails(count: int) -> None:
    x, y = torch.randn(count), torch.randn(count)
    out = torch.full((count,), 7.0)
    text = elementwise("%r = arith.addf %a, %b : f32", "f32", (count,), "f32", "f32")
    assert run(text, x, y, out) == 1
    assert torch.equal(out, x + y)


def test_a_scalar_tensor() -> None:
    x, out = torch.tensor(2.5), torch.tensor(0.0)
    run(elementwise("%r = arith.mulf %a, %a : f32", "f32", (), "f32"), x, out)
    assert out == 6.25
