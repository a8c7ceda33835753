"""Checks of the family `axes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import cycle, permutations

import numpy as np

from devproc.exactness.axes import BOUNDS
from devproc.exactness.bound import Key
from devproc.ir.types import DTYPES
from tests.exactness.dtypes import of_dtype, random_array
from tests.exactness.measuring import Array, Case, Check, Measured, measure

CHANGES = tuple(
    f"{source}->{target}"
    for source, target in (
        *(("HWC", "".join(order)) for order in permutations("HWC")),
        *(("NHWC", "".join(order)) for order in (*permutations("NHWC"),)[::2]),
        *(("HW", "WH"), ("HW", "NCHW"), ("HW", "HWC"), ("HWC", "NCHW")),
        *(("NHWC", "CHW"), ("CWHN", "HW"), ("NHW", "NHWC"), ("N", "CN")),
    )
)
"""All orders of an image's axes, some of a batch's, then axes that come and go."""

SIZES = {"N": 2, "H": 5, "W": 3, "C": 4}


def laid_out(x: Array, change: str) -> Array:
    """The axes in another order by NumPy."""
    source, target = change.split("->")
    gone = tuple(source.index(letter) for letter in source if letter not in target)
    kept = [letter for letter in source if letter in target]
    moved = x.squeeze(gone).transpose([kept.index(k) for k in target if k in kept])
    new = tuple(i for i, letter in enumerate(target) if letter not in source)
    return np.ascontiguousarray(np.expand_dims(moved, new))


def _cases() -> Iterator[Case]:
    rng, dtypes = np.random.default_rng(0), cycle(DTYPES)
    concat, layout, reshape, select, slice_, stack, transpose = BOUNDS
    for change, dtype in zip(CHANGES, dtypes, strict=False):
        source, target = change.split("->")
        x = random_array(rng, [SIZES[k] if k in target else 1 for k in source], dtype)
        step = partial(lambda p, v, c: p.layout(v, c), c=change)
        yield of_dtype(dtype, layout, step, x, laid_out(x, change), source)
    forms = cycle([("CHW", np.stack, 0, 1), ("NHW", np.concatenate, -1, -3)])
    for dtype, (letters, join, axis, index) in zip(DTYPES, forms, strict=False):
        x = random_array(rng, (2, 5, 3), dtype)
        step = partial(lambda p, v, a, i: p.select(v, a, i), a=axis, i=index)
        yield of_dtype(dtype, select, step, x, x.take(index, axis), letters)
        step = lambda p, v: p.stack([v, p.flip(v, "horizontal"), v])  # noqa: E731
        wanted = join([x, x[..., ::-1], x])
        yield of_dtype(dtype, stack, step, x, wanted, letters)
        step = lambda p, v: p.stack([v, p.flip(v, "vertical")], -2)  # noqa: E731
        wanted = np.stack([x, x[:, ::-1]], -2)
        yield of_dtype(dtype, stack, step, x, wanted, letters)
        step = lambda p, v: p.concat([v, v[..., ::-2], v], -1)  # noqa: E731
        wanted = np.concatenate([x, x[..., ::-2], x], -1)
        yield of_dtype(dtype, concat, step, x, wanted, letters)
        step = lambda p, v: p.slice(v, 1, -1, None, -3)  # noqa: E731
        yield of_dtype(dtype, slice_, step, x, x[:, -1::-3], letters)
        step = lambda p, v: v[1, ..., None, 1:]  # noqa: E731
        yield of_dtype(dtype, slice_, step, x, x[1, ..., None, 1:], letters)
        step = lambda p, v: p.transpose(v, (-1, 0, 1))  # noqa: E731
        yield of_dtype(dtype, transpose, step, x, x.transpose(2, 0, 1), letters)
        step = lambda p, v: p.reshape(v, (3, -1, 2))  # noqa: E731
        yield of_dtype(dtype, reshape, step, x, x.reshape(3, -1, 2), letters)


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
