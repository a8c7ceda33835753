"""Checks of the family `boxes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.dialects.pipe.boxes import FORMATS
from devproc.exactness.bound import Key
from devproc.exactness.boxes import BOUNDS
from tests.exactness.measuring import Array, Case, Check, Measured, measure
from tests.steps.libraries import box_coder, torchvision_boxes
from tests.steps.test_detection import random_boxes


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    ops = torchvision_boxes()
    clip, convert, decode, dfl, scale = BOUNDS
    x, anchors = random_boxes(rng, 97), random_boxes(rng, 97)
    x[3, 1], x[4, 2] = np.nan, np.inf
    t = torch.from_numpy(x)
    for size in ((40, 50), (17.5, 90.25)):
        wanted = ops.clip_boxes_to_image(t, size).numpy()
        yield Case(clip, lambda p, v, s=size: p.clip_boxes(v, s), [x], wanted, "")
    for a in FORMATS:
        for b in FORMATS:
            step = partial(
                lambda p, v, change: p.convert_boxes(v, change), change=f"{a}->{b}"
            )
            yield Case(convert, step, [x], ops.box_convert(t, a, b).numpy(), "")
    for weights in ((10.0, 10.0, 5.0, 5.0), (1.0, 1.0, 1.0, 1.0)):
        deltas = rng.normal(0, 2, (97, 4)).astype(np.float32)
        given = torch.from_numpy(deltas), torch.from_numpy(anchors)
        wanted = box_coder(weights).decode_single(*given)
        step = partial(
            lambda p, d, a, weights: p.decode_boxes(d, a, weights), weights=weights
        )
        yield Case(decode, step, [deltas, anchors], wanted.numpy(), "")
    for numbers in ((1.5, 0.0), ((0.3, 2.0), (-3.0, 4.0))):
        factor, offset = (
            torch.tensor(np.resize(n, 4), dtype=torch.float32) for n in numbers
        )
        step = partial(lambda p, v, n: p.scale_boxes(v, *n), n=numbers)
        yield Case(scale, step, [x], t.mul(factor).add(offset).numpy(), "")
    points = x[..., :2].copy()
    moved = torch.from_numpy(points).mul(torch.tensor([2.0, 0.7])).add(1.1).numpy()
    yield Case(scale, lambda p, v: p.scale_boxes(v, (2, 0.7), 1.1), [points], moved, "")
    for bins, batch, places in ((16, 2, 101), (5, 3, 7), (1, 1, 1)):
        sides = rng.normal(0, 4, (batch, 4 * bins, places)).astype(np.float32)
        step = partial(lambda p, v, bins: p.decode_dfl(v, bins), bins=bins)
        yield Case(dfl, step, [sides], ultralytics_dfl(sides, bins), "")


def ultralytics_dfl(x: Array, bins: int) -> Array:
    """`DFL` of Ultralytics: a convolution that weighs each bin by its number."""
    batch, _, places = x.shape
    parts = torch.from_numpy(x).view(batch, 4, bins, places).transpose(2, 1).softmax(1)
    weights = torch.arange(bins, dtype=torch.float32).view(1, bins, 1, 1)
    found = torch.nn.functional.conv2d(parts, weights)
    return found.view(batch, 4, places).numpy()


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
