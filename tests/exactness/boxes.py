"""Checks of the family `boxes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.dialects.pipe.boxes import FORMATS
from devproc.exactness.bound import Key
from devproc.exactness.boxes import BOUNDS
from tests.exactness.measuring import Case, Check, Measured, measure
from tests.steps.libraries import box_coder, torchvision_boxes
from tests.steps.test_detection import random_boxes


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    ops = torchvision_boxes()
    clip, convert, decode = BOUNDS
    x, anchors = random_boxes(rng, 97), random_boxes(rng, 97)
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


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
