"""Checks of the family `color`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.exactness.color import BOUNDS
from tests.exactness.measuring import Array, Case, Check, Measured, measure
from tests.torchvision_import import functional

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
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


def _normalize(x: torch.Tensor) -> torch.Tensor:
    scaled = x.float().div(255) if x.dtype == torch.uint8 else x
    return scaled.sub(torch.tensor(MEAN)).div(torch.tensor(STD))


def _cases_of(x: Array) -> Iterator[Case]:
    dtype, t = str(x.dtype), torch.from_numpy(x)
    if dtype != "uint16":
        wanted = _normalize(t).numpy()
        key = Key("normalize", "", "", dtype)
        yield Case(key, lambda p, v: p.normalize(v, MEAN, STD), [x], wanted)
        low, high = (0.25, 0.75) if dtype == "float32" else (20, 200)
        key, wanted = Key("clamp", "", "", dtype), t.clamp(low, high).numpy()
        yield Case(key, lambda p, v: p.clamp(v, low, high), [x], wanted)
    key, real = Key("scale", "", "", dtype), torch.from_numpy(x.astype(np.float32))
    wanted = real.mul(1 / 255).numpy()
    yield Case(key, lambda p, v: p.scale(v, 1 / 255), [x], wanted)
    wanted = real.mul(torch.tensor(STD)).add(torch.tensor(MEAN)).numpy()
    yield Case(key, lambda p, v: p.scale(v, STD, MEAN), [x], wanted)
    key = Key("gamma", "", "", dtype)
    for gamma, gain in GAMMAS:
        wanted = functional.adjust_gamma(t, gamma, gain).numpy()
        yield Case(key, lambda p, v, g=(gamma, gain): p.gamma(v, *g), [x], wanted)


@cache
def _measured() -> dict[Key, Measured]:
    return measure([case for x in _arrays() for case in _cases_of(x)])


def _check(key: Key) -> Measured:
    return _measured()[key]


CHECKS: Mapping[Key, Check] = {key: partial(_check, key) for key in BOUNDS}
"""Step, form and dtype -> what measures it."""
