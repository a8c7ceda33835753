"""Arithmetic between values and parts of them, on both targets, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from devproc.exactness.bound import Key
from tests.exactness.measuring import Array, Case
from tests.steps.both_targets import TARGETS, assert_equal

KEY = Key("", "", "", "")
ROW = np.array([0.5, -2.0, 4.0], np.float32)

FLOATS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y * 2,
    lambda x, y: 1 - x / y,
    lambda x, y: 3 / (y + 1.5) - -x,
    lambda x, y: ROW * x + ROW,
    lambda x, y: (x > y) & ~(x >= 1) | (y < x) & (y <= 0.25),
    lambda x, y: (x == y) | (x != 2),
    lambda x, y: x[1:, ::-2, 0],
    lambda x, y: x[..., None, 1:] * y[0, 0, 1:],
    lambda x, y: x[-1],
]
"""The same for values and for arrays."""

BYTES: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - 200,
    lambda x, y: x * np.arange(3, dtype=np.uint8),
    lambda x, y: (x >= 128) & (y != 3),
    lambda x, y: x[::2, 1:-1],
]


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    x = rng.integers(-3, 4, (4, 5, 3)).astype(np.float32)
    x[0, 0] = np.nan, np.inf, -np.inf
    y = rng.integers(-3, 4, (4, 1, 3)).astype(np.float32)
    yield from _of(FLOATS, x, y)
    yield from _of(BYTES, *rng.integers(0, 256, (2, 4, 5, 3), np.uint8))
    image = rng.integers(0, 256, (4, 5, 3), np.uint8)
    wanted = image.astype(np.float32) / np.float32(255)
    yield Case(KEY, lambda p, v: v / 255, [image], wanted)
    wanted = np.float32(0.5) * image
    yield Case(KEY, lambda p, v: 0.5 * v, [image], wanted)
    wide = rng.integers(0, 65536, (4, 5), np.uint16)
    wanted = np.where(wide > 30000, wide * np.uint16(3), np.uint16(7))
    step = lambda p, v: p.where(v > 30000, v * 3, 7)  # noqa: E731
    yield Case(KEY, step, [wide], wanted)
    wanted = np.maximum(np.minimum(x, y), ROW)
    step = lambda p, v, w: p.maximum(p.minimum(v, w), ROW)  # noqa: E731
    yield Case(KEY, step, [x, y], wanted, "")
    step = lambda p, v: p.where(v > 0, 1, -1)  # noqa: E731
    yield Case(KEY, step, [x], np.where(x > 0, 1, -1), "")
    step = lambda p, v: p.where(v > 0, ROW, 1)  # noqa: E731
    yield Case(KEY, step, [x], np.where(x > 0, ROW, np.float32(1)), "")
    large = np.array([2**60, -(2**60)])
    step = lambda p, v: v + (2**53 + 1)  # noqa: E731
    yield Case(KEY, step, [large], large + (2**53 + 1), "")
    wanted = np.concatenate([x, x[:, ::-1]], 1).transpose(2, 0, 1).reshape(3, -1)
    step = lambda p, v: p.reshape(  # noqa: E731
        p.transpose(p.concat([v, v[:, ::-1]], 1), (2, 0, 1)), (3, -1)
    )
    yield Case(KEY, step, [x], wanted, "HWC")
    step = lambda p, v: p.stack([v, v + 1], axis=-1)  # noqa: E731
    yield Case(KEY, step, [x], np.stack([x, x + 1], -1), "HWC")


def _of(
    functions: list[Callable[[Any, Any], Any]], x: Array, y: Array
) -> Iterator[Case]:
    for function in functions:
        with np.errstate(all="ignore"):
            wanted = np.ascontiguousarray(function(x, y))
        yield Case(KEY, lambda p, v, w, f=function: f(v, w), [x, y], wanted, "")


@pytest.mark.parametrize("target", TARGETS)
def test_arithmetic(target: str) -> None:
    assert_equal(list(_cases()), target)
