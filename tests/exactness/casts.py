"""Checks of casts, of the family `color`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import cycle, product
from math import floor

import numpy as np
import torch

from devproc.exactness.bound import ANY, Key
from devproc.frontends.dsl import Pipeline, Value
from devproc.ir.types import DTYPES
from tests.exactness.dtypes import (
    FLOATS,
    array,
    of_dtype,
    random_array,
    rounded,
    tensor,
)
from tests.exactness.measuring import Array, Case

INTEGERS = ("int64", "int32", "int16", "int8", "uint16", "uint8")

AWKWARD = (
    *(0.5, 1.5, 2.5, -0.5, -1.5, 127.5, -128.5, 254.5, 255.5, 256, -1, 300, 65535.5),
    *(np.nextafter(0.5, 0), np.nextafter(np.float32(0.5), 0), 8388609, 2**31, -3e9),
    *(4503599627370497.0, 2.0**63, -(2.0**63), 1e30, -1e30),
    *(np.nan, np.inf, -np.inf, -0.0),
)
"""Halves and what is just below, numbers of no fraction, ends of integers."""


def _half_up(x: torch.Tensor) -> torch.Tensor:
    """Of finite numbers, as fractions."""
    numbers = [
        floor(Fraction(v) + Fraction(1, 2)) for v in x.double().flatten().tolist()
    ]
    return torch.tensor([float(n) for n in numbers], dtype=x.dtype).reshape(x.shape)


ROUND: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "truncate": torch.trunc,
    "nearest_even": torch.round,
    "half_up": _half_up,
    "floor": torch.floor,
    "ceil": torch.ceil,
}


def _held(x: torch.Tensor, to: str) -> Array:
    """Whole numbers held within an integer dtype, exactly: as integers of Python."""
    range_ = np.iinfo(to)
    wanted = [min(max(int(v), range_.min), range_.max) for v in x.flatten().tolist()]
    return np.array(wanted, to).reshape(x.shape)


def _rounded() -> Iterator[Case]:
    rng, targets = np.random.default_rng(8), cycle(INTEGERS)
    for (rounding, function), dtype in product(ROUND.items(), FLOATS):
        key = Key("cast", "", rounding, ANY)
        x = rounded(np.append(AWKWARD, rng.normal(0, 300, 60)), dtype)
        finite = np.nan_to_num(x.astype(np.float64), nan=0, posinf=1e300, neginf=-1e300)
        whole = function(torch.from_numpy(finite))
        to = next(targets)
        step = partial(
            lambda p, v, t, r: p.cast(v, t, r, saturate=True), t=to, r=rounding
        )
        yield of_dtype(dtype, key, step, x, _held(whole, to))
        if dtype == "float32":
            near = rng.uniform(-100, 100, (3, 41)).astype(dtype)
            wanted = function(torch.from_numpy(near)).to(torch.int8).numpy()
            step = partial(lambda p, v, r: p.cast(v, "int8", r), r=rounding)
            yield of_dtype(dtype, key, step, near, wanted)


def casts() -> Iterator[Case]:
    """By C's rules between dtypes, and with each rounding."""
    rng, key = np.random.default_rng(7), Key("cast", "", "truncate", ANY)
    for number, source in enumerate(DTYPES):
        x = random_array(rng, (2, 19), source)
        if source in FLOATS:
            x = rounded(rng.uniform(0, 100, (2, 19)), source)
        for to in tuple(DTYPES)[number % 3 :: 3]:
            # Back from bfloat16, which NumPy lacks.
            step = partial(lambda p, v, t: _readable(p, p.cast(v, t)), t=to)
            wanted = array(tensor(x, source).to(getattr(torch, to)))
            yield of_dtype(source, key, step, x, wanted)
        if source in INTEGERS:
            to = ("int8", "uint16")[number % 2]
            step = partial(lambda p, v, t: p.cast(v, t, saturate=True), t=to)
            yield of_dtype(source, key, step, x, _held(torch.from_numpy(x), to))
    yield from _rounded()


def _readable(pipe: Pipeline, value: Value) -> Value:
    return pipe.cast(value, "float32") if value.dtype == "bfloat16" else value
