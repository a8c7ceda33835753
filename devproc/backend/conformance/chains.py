"""The chains of the kit: products with their bias, scale and clamp, sums of tensors, means.

Products have constant weights. Integers are rescaled to int8 as `nn.rescale` does it, by one
scale or by one for each channel.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from devproc.backend.conformance.chain import Chain

DTYPES = ("float32", "float16", "bfloat16", "int8")
SIZES = (1, 3, 5, 9, 17, 33)
IMAGE_SIZES = (5, 8, 11)

INTEGER_ENDS = (
    ("", "", ""),
    ("bias", "", ""),
    ("added bias", "", ""),
    ("", "one scale", ""),
    ("bias", "one scale", "both"),
    ("", "scales", ""),
    ("added bias", "scales", "relu"),
)
FLOAT_ENDS = tuple((b, "", c) for b in ("", "bias") for c in ("", "relu", "both"))
"""The bias, scale and clamp of a product."""


def chains_of(dtype: str) -> Iterator[Chain]:
    """The chains on inputs of a dtype; they are the same in every run."""
    for name, product in PRODUCTS.items():
        for ends in INTEGER_ENDS if dtype == "int8" else FLOAT_ENDS:
            if not ends[0] or name != "matmul":
                chain = _chain(dtype, name, *ends)
                product(chain, *ends)
                yield chain
    for name, make in (SUMS_OF_INT8 if dtype == "int8" else SUMS_OF_FLOATS).items():
        for clamp in ("", "relu"):
            chain = _chain(dtype, name, clamp)
            chain.clamp(make(chain), clamp)
            yield chain


def _chain(dtype: str, *words: str) -> Chain:
    name = " + ".join(filter(None, words))
    return Chain(name, dtype, random.Random(f"{name} {dtype}"))


def _size(chain: Chain) -> int:
    return chain.source.choice(SIZES)


def _linear(chain: Chain, bias: str, scale: str, clamp: str) -> None:
    n, k = _size(chain), _size(chain)
    x = chain.input(2, _size(chain), k)
    _product(chain, "linear", x, (n, k), (n,), (*chain.values[x][1][:2], n), "", bias)
    _finish(chain, (n,), scale, clamp)


def _conv2d(chain: Chain, bias: str, scale: str, clamp: str) -> None:
    h, w = (chain.source.choice(IMAGE_SIZES) for _ in range(2))
    n, k, step = _size(chain), _size(chain), chain.source.choice((1, 2))
    x = chain.input(3, k, h, w)
    shape = (3, n, (h - 1) // step + 1, (w - 1) // step + 1)
    rest = f"stride [{step}, {step}] padding [1, 1] dilation [1, 1] groups 1"
    _product(chain, "conv2d", x, (n, k, 3, 3), (n, 1, 1), shape, rest, bias)
    _finish(chain, (n, 1, 1), scale, clamp)


def _matmul(chain: Chain, bias: str, scale: str, clamp: str) -> None:
    m, k, n = _size(chain), _size(chain), _size(chain)
    operands = chain.input(2, 3, m, k), chain.input(2, 3, k, n)
    chain.op("matmul", *operands, shape=(2, 3, m, n), dtype=_sums(chain))
    _finish(chain, (n,), scale, clamp)


def _product(
    chain: Chain,
    name: str,
    x: str,
    weight: tuple[int, ...],
    channels: tuple[int, ...],
    shape: tuple[int, ...],
    rest: str,
    bias: str,
) -> None:
    """A product with a constant weight; its bias is an operand, or is added."""
    operands = [x, chain.weight(*weight)]
    if bias == "bias":
        operands.append(chain.weight(channels[0], dtype=_sums(chain)))
    found = chain.op(name, *operands, rest=rest, shape=shape, dtype=_sums(chain))
    if bias == "added bias":
        added = chain.weight(*channels, dtype=_sums(chain))
        chain.op("add", found, added)


def _finish(chain: Chain, channels: tuple[int, ...], scale: str, clamp: str) -> None:
    if scale:
        chain.rescale(chain.last, 37, channels=channels if scale == "scales" else ())
    chain.clamp(chain.last, clamp)


def _sums(chain: Chain) -> str:
    return chain.dtype if chain.is_float else "int32"


def _rescaled(chain: Chain) -> str:
    return chain.rescale(chain.input(3, _size(chain), 7), 30)


def _sum_of_rescaled(chain: Chain) -> str:
    shape = (3, _size(chain), 7)
    terms = [chain.rescale(chain.input(*shape), 14, "int32") for _ in range(2)]
    return chain.rescale(chain.op("add", *terms), 46)


def _sum(chain: Chain) -> str:
    shape = (3, _size(chain), 7)
    return chain.op("add", chain.input(*shape), chain.input(*shape))


def _image(chain: Chain) -> str:
    h, w = (chain.source.choice(IMAGE_SIZES) for _ in range(2))
    return chain.input(3, _size(chain), h, w)


def _mean(chain: Chain) -> str:
    """The pixels of each channel."""
    image = _image(chain)
    shape = chain.values[image][1]
    sums = chain.op(
        "reduce_sum", _wide(chain, image), rest="axes [2, 3] keep 0", shape=shape[:2]
    )
    return _divided(chain, sums, shape[2] * shape[3], shift=36)


def _average_pool(chain: Chain) -> str:
    image = _image(chain)
    b, c, h, w = chain.values[image][1]
    rest = "kernel [3, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0"
    shape = (b, c, (h - 3) // 2 + 1, (w - 2) // 2 + 1)
    sums = chain.op("sum_pool2d", _wide(chain, image), rest=rest, shape=shape)
    return _divided(chain, sums, 6, shift=33)


def _wide(chain: Chain, value: str) -> str:
    """A value in the dtype of sums of pixels: float32 or int32."""
    if chain.dtype == "float32":
        return value
    kind, dtype = ("f32", "float32") if chain.is_float else ("i32", "int32")
    return chain.op("cast", value, rest=f"to {kind}", dtype=dtype)


def _divided(chain: Chain, sums: str, count: int, shift: int) -> str:
    """Sums by their count, or by about 2**(31 - shift) for integers, in the first dtype."""
    if not chain.is_float:
        return chain.rescale(sums, shift)
    found = chain.op("div", sums, chain.constant("float32", (), [count]))
    if chain.dtype == "float32":
        return found
    kind = {"float16": "f16", "bfloat16": "bf16"}[chain.dtype]
    return chain.op("cast", found, rest=f"to {kind}", dtype=chain.dtype)


def _clamped(chain: Chain) -> str:
    return chain.clamp(chain.input(3, _size(chain), 7), "both")


PRODUCTS: Mapping[str, Callable[[Chain, str, str, str], None]] = {
    "linear": _linear,
    "conv2d": _conv2d,
    "matmul": _matmul,
}
COMMON: Mapping[str, Callable[[Chain], str]] = {
    "mean of pixels": _mean,
    "average pool": _average_pool,
    "clamp": _clamped,
}
SUMS_OF_INT8 = {"rescale": _rescaled, "sum of rescaled": _sum_of_rescaled, **COMMON}
SUMS_OF_FLOATS = {"sum": _sum, **COMMON}
