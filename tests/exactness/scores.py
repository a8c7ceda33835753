"""Checks of the family `scores`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np

from devproc.exactness.bound import ANY, Key
from devproc.exactness.scores import BOUNDS
from devproc.ir.types import DTYPES
from tests.exactness.dtypes import (
    FLOATS,
    array,
    of_dtype,
    random_array,
    rounded,
    tensor,
)
from tests.exactness.measuring import Case, Check, Measured, measure

SHAPES = ((1, 1), (3, 1000), (2, 7, 13), (5, 91))


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        for dtype in FLOATS if shape == SHAPES[-1] else ("float32",):
            x = rounded(rng.normal(0, 6, shape), dtype)
            t = tensor(x, dtype)
            key, wanted = Key("sigmoid", "", "", ""), array(t.sigmoid())
            yield of_dtype(dtype, key, lambda p, v: p.sigmoid(v), x, wanted)
            key, wanted = Key("softmax", "", "", ""), array(t.softmax(-1))
            yield of_dtype(dtype, key, lambda p, v: p.softmax(v), x, wanted)
    for number, dtype in enumerate(DTYPES):
        x = random_array(rng, SHAPES[number % len(SHAPES)], dtype)
        t, k = tensor(x, dtype), min(5, x.shape[-1])
        # PyTorch has neither for uint16.
        wide = t.int() if dtype in ("uint16", "bool") else t
        if dtype != "bool":
            key, wanted = Key("argmax", "", "", ANY), wide.argmax(-1).numpy()
            yield of_dtype(dtype, key, lambda p, v: p.argmax(v), x, wanted)
        found = array(wide.topk(k).values.to(t.dtype))
        places = t.sort(descending=True, stable=True).indices[..., :k].numpy()
        part, key = number % 2, Key("top_k", "", "", ANY)
        step = partial(lambda p, v, k, part: p.top_k(v, k)[part], k=k, part=part)
        yield of_dtype(dtype, key, step, x, (found, places)[part])


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
