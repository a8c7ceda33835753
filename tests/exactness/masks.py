"""Checks of the family `masks`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.exactness.masks import BOUNDS
from tests.exactness.dtypes import FLOATS, of_each
from tests.exactness.measuring import Case, Check, Measured, measure
from tests.steps.test_masks import hrnet


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    keypoints, palette, threshold = BOUNDS
    colors = rng.integers(0, 256, (21, 3))
    for shape in ((2, 17, 64, 48), (1, 3, 1, 9), (3, 1, 5, 4)):
        x = rng.normal(0, 1, shape).astype(np.float32)
        for part, wanted in enumerate(hrnet(x)):
            step = partial(lambda p, v, part: p.decode_keypoints(v)[part], part=part)
            yield Case(keypoints, step, [x], wanted, "")
        classes = rng.integers(0, 21, shape)
        wanted = colors.astype(np.uint8)[classes]
        step = partial(lambda p, v, colors: p.palette(v, colors), colors=colors)
        yield Case(palette, step, [classes], wanted, "")
    negative = rng.integers(-21, 0, (5, 7)).astype(np.int32)
    step = partial(lambda p, v, colors: p.palette(v, colors), colors=colors)
    yield Case(palette, step, [negative], colors.astype(np.uint8)[negative], "")
    above = lambda p, v: p.threshold(v, 0.3)  # noqa: E731
    limit = lambda x: x.gt(torch.tensor([0.3], dtype=x.dtype))  # noqa: E731
    yield from of_each(FLOATS, threshold, above, limit, ((3, 17, 5), (1, 1)))


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
