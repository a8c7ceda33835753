"""Checks of the steps on tokens and embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from devproc.exactness.bound import ANY, Key
from devproc.exactness.text import BOUNDS
from devproc.frontends.dsl import Pipeline, Value
from tests.exactness.dtypes import FLOATS, array, of_dtype, of_each, rounded, tensor
from tests.exactness.measuring import Array, Case, Check, Measured, measure


def states(length: int = 7, dtype: str = "float32") -> Array:
    """(3, length, 33), rounded to a dtype."""
    rng = np.random.default_rng(4)
    return rounded(rng.standard_normal((3, length, 33)), dtype)


def masks(length: int) -> Array:
    """Of a text that is shorter than the others, of a whole one and of none."""
    below = np.arange(length) < np.array([[length // 2], [length], [0]])
    return below.astype(np.int64)


def _mean_pools(dtype: str) -> Iterator[Case]:
    for length in (7, 512):
        x, mask = states(length, dtype), masks(length)
        t, weight = tensor(x, dtype), tensor(mask[..., None], dtype)
        wanted = (t * weight).sum(1) / weight.sum(1).clamp(min=1e-9)

        def step(p: Pipeline, v: Value, mask: Array = mask) -> Value:
            return p.mean_pool(v, p.constant("mask", mask))

        yield of_dtype(dtype, Key("mean_pool", "", "", ""), step, x, array(wanted))


def _embeddings() -> Iterator[Case]:
    normalize = torch.nn.functional.normalize
    for dtype in FLOATS:
        yield from _mean_pools(dtype)
    for dtype in ("float64", "float32"):
        x = states(301, dtype)
        x[0, 0] = 0
        for axis in (-1, 1):
            key = Key("l2_normalize", "", "", dtype)
            step = partial(lambda p, v, axis: p.l2_normalize(v, axis), axis=axis)
            wanted = normalize(torch.from_numpy(x), dim=axis).numpy()
            yield Case(key, step, [x], wanted, "")
    x, y = states()[:, 0], states()[:, 1:].reshape(18, 33)
    pair = [normalize(torch.from_numpy(v), dim=1) for v in (x, y)]
    key = Key("cosine_similarity", "", "", "float32")
    step = lambda p, v, w: p.cosine_similarity(v, w)  # noqa: E731
    yield Case(key, step, [x.copy(), y], (pair[0] @ pair[1].T).numpy(), "")
    key = Key("cls_pool", "", "", ANY)
    shapes = ((3, 7, 33), (1, 1, 1))
    first = lambda t: t[:, 0]  # noqa: E731
    yield from of_each(FLOATS, key, lambda p, v: p.cls_pool(v), first, shapes)


def _tokens(dtype: str) -> Iterator[Case]:
    rng = np.random.default_rng(6)
    for shape in ((3, 17), (5,), (2, 1, 4)):
        x = rng.integers(-2, 3, shape).astype(dtype)
        for pad_id in (0, 2):
            key, wanted = (
                Key("attention_mask", "", "", ANY),
                torch.from_numpy(x).ne(pad_id),
            )
            step = partial(lambda p, v, n: p.attention_mask(v, n), n=pad_id)
            yield Case(key, step, [x], wanted.long().numpy(), "")
        key = Key("pad_tokens", "", "", ANY)
        for length, side in ((21, "right"), (21, "left"), (3, "left")):
            cut = x[..., :length]
            more = length - cut.shape[-1]
            ends = (0, more) if side == "right" else (more, 0)
            around: Any = [(0, 0)] * (x.ndim - 1) + [ends]
            step = partial(
                lambda p, v, n, s: p.pad_tokens(v, n, 9, s), n=length, s=side
            )
            yield Case(key, step, [x], np.pad(cut, around, constant_values=9), "")


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure([*_embeddings(), *_tokens("int64"), *_tokens("int32")])


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
