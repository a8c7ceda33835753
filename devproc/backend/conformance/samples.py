"""Samples of each `nn` op: forms of its operands and its properties, for any sizes.

A shape is a text: numbers and letters, each letter a size that a case draws at random
("a" to "z" odd and small; "h" and "w" large enough for a window).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from devproc.ir.dtypes import ITEM_SIZES
from devproc.ir.types import DTYPES

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Operand:
    """An operand: its shape, its dtype if it is not that of the case, its values.

    `values`: "any"; "positive"; "divisor", of which no integer is 0 or -1; "shift" and
    "exponent", small and not negative where they are integers; "taps", weights of pixels;
    "multiplier" and "scale shift" of a rescaling; or the letter or number of the size that it is an index of.
    """

    shape: str
    dtype: str = ""
    values: str = "any"


@dataclass(frozen=True)
class Sample:
    """The operands of an op and its properties.

    A property is a value, or a function of the sizes and the dtype of a case.
    """

    operands: tuple[Operand, ...]
    properties: Mapping[str, Any]
    special: bool = True
    """Whether NaN, infinities and the extremes of integers have a defined result."""


def sample(*operands: str | Operand, special: bool = True, **properties: Any) -> Sample:
    """A sample; a text is an operand of the dtype of the case, with any values."""
    made = tuple(Operand(o) if isinstance(o, str) else o for o in operands)
    return Sample(made, properties, special)


def sizes_of(*tokens: str | int) -> Callable[[Sizes, str], tuple[int, ...]]:
    """A property that is a list of sizes."""
    return lambda sizes, dtype: tuple(size_of(token, sizes) for token in tokens)


def size_of(token: str | int, sizes: Sizes) -> int:
    """The number of a token of a shape; `a*b` is a product."""
    product = 1
    for factor in str(token).split("*"):
        product *= sizes[factor] if factor in sizes else int(factor)
    return product


def _same_width(sizes: Sizes, dtype: str) -> Any:
    others = (n for n in DTYPES if n != dtype and ITEM_SIZES[n] == ITEM_SIZES[dtype])
    return DTYPES[next(others)]


WHOLE = (
    "abs",
    "relu",
    "ceil",
    "floor",
    "round",
    "trunc",
    "sqrt",
    "exp",
    "exp2",
    "expm1",
)
SMOOTH = ("log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh")
INVERSE = ("asin", "acos", "atan", "asinh", "acosh", "atanh", "erf")
ARITHMETIC = ("add", "sub", "mul", "div", "maximum", "minimum", "atan2")
LOGIC = ("and", "or", "xor", "eq", "lt", "le")
WINDOW: dict[str, Any] = {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 1)}
NO_PADDING: dict[str, Any] = {**WINDOW, "padding": (0, 0), "layout": "nhwc"}
POOL: dict[str, Any] = {"kernel": (3, 2), "ceil_mode": 0}
SQUARE: dict[str, Any] = {**WINDOW, "stride": (2, 2), "padding": (1, 1)}
POOLS = (
    sample("a b h w", **POOL, **WINDOW),
    sample("a b h w", **POOL, **SQUARE),
    sample("a h w b", **POOL, **NO_PADDING),
)

UNARY = (sample("a b c"), sample(""))
BINARY = (sample("a b c", "b c"), sample("a b 1", "a 1 c"), sample("a b", ""))
SCAN = (sample("a b c", axis=1), sample("a b", axis=-1))

SAMPLES: Mapping[str, Sequence[Sample]] = {
    **{f"nn.{name}": UNARY for name in (*WHOLE, *SMOOTH, *INVERSE)},
    **{f"nn.{name}": BINARY for name in (*ARITHMETIC, *LOGIC)},
    **dict.fromkeys(
        ("nn.quotient", "nn.remainder"),
        (sample("a b c", Operand("b c", "", "divisor")),),
    ),
    **dict.fromkeys(
        ("nn.shift_left", "nn.shift_right"),
        (sample("a b c", Operand("b c", "", "shift")),),
    ),
    "nn.pow": (sample("a b c", Operand("b c", "", "exponent")),),
    "nn.where": (
        sample(Operand("a b", "bool"), "a b", "b"),
        sample(Operand("a 1", "bool"), "b", ""),
    ),
    "nn.cast": (
        *(sample("a b", dtype=DTYPES[d]) for d in ("float64", "float32", "bool")),
        *(
            sample(Operand("a b", "", "positive"), dtype=DTYPES[d], special=False)
            for d in ("float16", "bfloat16", "int64", "int32", "int8", "uint8")
        ),
    ),
    "nn.bitcast": (sample("a b", dtype=_same_width),),
    "nn.rescale": tuple(
        sample(
            Operand("a b c", wide),
            Operand(scales, "int32", "multiplier"),
            Operand(scales, "int8", "scale shift"),
            input_zero=-3 if wide == "int8" else 0,
            dtype=DTYPES[narrow],
            output_zero=5 if narrow == "int8" else 0,
            low=-100,
            high=101,
        )
        for wide, narrow in (("int32", "int8"), ("int8", "int8"), ("int8", "int32"))
        for scales in ("b 1", "")
    ),
    "nn.quantize": tuple(
        sample(
            Operand("a b c", "float32"),
            Operand(scales, "float32", "positive"),
            Operand(scales, "int32", "positive"),
            dtype=DTYPES[narrow],
            low=1,
            high=99,
        )
        for narrow in ("int8", "uint8")
        for scales in ("b 1", "")
    ),
    "nn.dequantize": tuple(
        sample(
            Operand("a b c", wide),
            Operand(scales, "float32", "positive"),
            Operand(scales, "int32", "positive"),
        )
        for wide in ("int8", "uint8", "int32")
        for scales in ("b 1", "")
    ),
    "nn.matmul": (
        sample("a b c", "c d"),
        sample("a 1 b c", "d c e"),
        sample("b c", "c d"),
    ),
    "nn.linear": (
        sample("a b c", "d c", "d"),
        sample("a b c", "d c", Operand("d", "int32")),
        sample("a c", "d c"),
    ),
    "nn.conv2d": (
        sample("a 4 h w", "6 2 3 3", "6", **WINDOW, groups=2),
        sample("a 4 h w", "6 2 3 3", Operand("6", "int32"), **WINDOW, groups=2),
        sample("a 3 h w", "5 3 1 1", **WINDOW, groups=1),
        sample("a h w 3", "3 2 3 5", "5", **NO_PADDING, groups=1),
    ),
    "nn.max_pool2d": POOLS,
    "nn.sum_pool2d": POOLS,
    "nn.reduce_sum": (
        sample("a b c", axes=(1,), keep=0),
        sample("a b c", axes=(0, 2), keep=1),
        sample("a b", axes=(0, 1), keep=0),
    ),
    "nn.reduce_max": (
        sample("a b c", axes=(1,), keep=0),
        sample("a b c", axes=(1, 2), keep=1),
    ),
    "nn.reduce_prod": (sample("a b c", axes=(1,), keep=0),),
    "nn.argmax": (sample("a b c", axis=1, keep=0), sample("a b", axis=1, keep=1)),
    **{
        f"nn.{name}": SCAN
        for name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")
    },
    "nn.concat": (sample("a b", "a c", "a b", axis=1), sample("a b", "c b", axis=0)),
    "nn.expand": (sample("b 1", shape=sizes_of(3, "b", 5)),),
    "nn.reshape": (
        sample("a b c", shape=sizes_of("a", "b*c")),
        sample("a b", shape=sizes_of("a*b")),
    ),
    "nn.transpose": (
        sample("a b c", permutation=(2, 0, 1)),
        sample("a b", permutation=(1, 0)),
    ),
    "nn.pad": (
        sample("a b", low=(0, 1), high=(2, 3)),
        sample("a b", "", low=(1, 0), high=(0, 2)),
    ),
    "nn.slice": (
        sample("a h", start=(0, 1), size=sizes_of("a", 3), step=(1, 1)),
        sample("a h", start=(0, 4), size=sizes_of("a", 2), step=(1, -2)),
    ),
    "nn.gather": (
        sample("a b", Operand("c 1", "int64", "a"), axes=(0,)),
        sample("a b", Operand("c 1", "int32", "a"), Operand("1 d", "int64", "b"), axes=(0, 1)),
    ),
    "nn.scatter": (
        *(
            sample("a b", "c b", Operand("a 1", "int64", "c"), axis=0, mode=mode)
            for mode in ("add", "mul", "max", "min")
        ),
        sample("1 b", "c b", Operand("1 1", "int64", "c"), axis=0, mode="set"),
    ),
    "nn.sort": (sample("a b", descending=0), sample("a b", descending=1)),
    "nn.kth_value": (sample("a b", Operand("a 2", "int64", "b")),),
    "nn.nms": (
        sample("2 9 1 4", "2 9 3", thresholds=(0.5, 0.05), max_n=7, agnostic=1),
    ),
    "nn.resample": (
        sample(
            Operand("a 7", "uint8"),
            Operand("9", "int32", "5"),
            Operand("9 3", "int32", "taps"),
            axis=1,
        ),
        sample(
            Operand("a 7", "float32"),
            Operand("9", "int32", "5"),
            Operand("9 3", "float32", "taps"),
            axis=1,
        ),
    ),
}  # fmt: skip
"""Name of an op -> its samples."""

BEFORE_LOADING = "computed from weights before a program is loaded"

NO_SAMPLE = {
    "nn.constant": "in every program with numbers; the check 'constants' has one",
    "nn.weight": "the check 'weights' has some",
    "nn.loop": "its body holds ops that have samples",
    "nn.yield": "the end of the body of nn.loop",
    "nn.check_divisor": "part of a program with `check_values`, for the CPU",
    "nn.check_range": "part of a program with `check_values`, for the CPU",
    "nn.pack": BEFORE_LOADING,
    "nn.quantize_groups": BEFORE_LOADING,
    "nn.resample_taps": BEFORE_LOADING,
    "nn.dct_basis": BEFORE_LOADING,
    "nn.dft_basis": BEFORE_LOADING,
    "nn.mel_filters": BEFORE_LOADING,
    "nn.sinc_filters": BEFORE_LOADING,
    "nn.window_function": BEFORE_LOADING,
}
"""Name of an op -> why it has no sample. Ops that the stage `tensor` decomposes have none
either: they are placed as what they consist of."""
