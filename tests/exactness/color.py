"""Checks of the family `color`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.bound import ANY, Key
from devproc.exactness.color import BOUNDS
from tests.exactness.casts import casts
from tests.exactness.dtypes import NUMBERS, array, of_dtype, of_each, rounded, tensor
from tests.exactness.measuring import Array, Case, Check, Measured, measure
from tests.torchvision_import import functional

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
FACTOR = 1 / 127.5
"""A scale that is no division by a whole number."""
GAMMAS = ((2.2, 1.0), (0.45, 1.3), (0.0, 1.0))
"""Exponent and gain."""


def _arrays() -> Iterator[Array]:
    rng = np.random.default_rng(1)
    for shape in ((5, 7, 3), (1, 1, 3), (64, 33, 3)):
        yield rng.integers(0, 256, shape).astype(np.uint8)
        yield rng.integers(0, 65536, shape).astype(np.uint16)
        yield rng.random(shape, np.float32) * 2 - 0.5
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38], np.float32)
    yield special.reshape(1, 2, 3)


def _normalize(x: torch.Tensor, scale: float | None = None) -> torch.Tensor:
    # `to_dtype(scale=True)` multiplies by a rounded reciprocal instead.
    brightest = {torch.uint8: 255, torch.uint16: 65535}.get(x.dtype)
    divisor = {1 / n: n for n in (255, 65535, 1)}.get(scale or 0, brightest)
    if scale == FACTOR:
        scaled = x.float().mul(FACTOR)
    else:
        scaled = x.float().div(divisor) if divisor else x
    return scaled.sub(torch.tensor(MEAN)).div(torch.tensor(STD))


def _cases_of(x: Array) -> Iterator[Case]:
    dtype, t = str(x.dtype), torch.from_numpy(x)
    key = Key("normalize", "", "", dtype)
    for scale in (None, 1.0, 1 / 255, 1 / 65535, FACTOR):
        step = partial(lambda p, v, s: p.normalize(v, MEAN, STD, scale=s), s=scale)
        yield Case(key, step, [x], _normalize(t, scale).numpy())
    key, real = Key("scale", "", "", ANY), torch.from_numpy(x.astype(np.float32))
    wanted = real.mul(torch.tensor(STD)).add(torch.tensor(MEAN)).numpy()
    yield Case(key, lambda p, v: p.scale(v, STD, MEAN), [x], wanted)
    key = Key("gamma", "", "", dtype)
    for gamma, gain in GAMMAS:
        wanted = functional.adjust_gamma(t, gamma, gain).numpy()
        yield Case(key, lambda p, v, g=(gamma, gain): p.gamma(v, *g), [x], wanted)


def _scaled(x: torch.Tensor) -> torch.Tensor:
    real = x if x.is_floating_point() else x.float()
    factor, offset = (torch.tensor([n], dtype=real.dtype) for n in (1 / 255, -0.3))
    return real.mul(factor).add(offset)


def _clamped(x: torch.Tensor) -> torch.Tensor:
    # PyTorch compares no uint16.
    return (
        x.int().clamp(1, 100).to(x.dtype)
        if x.dtype == torch.uint16
        else x.clamp(1, 100)
    )


def _of_dtypes() -> Iterator[Case]:
    shapes = ((3, 5, 7),)
    step = lambda p, v: p.scale(v, 1 / 255, -0.3)  # noqa: E731
    yield from of_each(NUMBERS, Key("scale", "", "", ANY), step, _scaled, shapes)
    step = lambda p, v: p.clamp(v, 1, 100)  # noqa: E731
    yield from of_each(NUMBERS, Key("clamp", "", "", ANY), step, _clamped, shapes)
    rng, (gamma, gain) = np.random.default_rng(0), GAMMAS[1]
    for dtype in ("float64", "float16", "bfloat16"):
        x = rounded(rng.random((5, 37)), dtype)
        wanted = array(functional.adjust_gamma(tensor(x, dtype), gamma, gain))
        step = lambda p, v: p.gamma(v, gamma, gain)  # noqa: E731
        yield of_dtype(dtype, Key("gamma", "", "", ""), step, x, wanted)


@cache
def _measured() -> dict[Key, Measured]:
    pixels = [case for x in _arrays() for case in _cases_of(x)]
    return measure([*pixels, *_of_dtypes(), *casts()])


def _check(key: Key) -> Measured:
    return _measured()[key]


CHECKS: Mapping[Key, Check] = {key: partial(_check, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
