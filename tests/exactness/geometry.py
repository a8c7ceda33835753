"""Checks of the family `geometry`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from PIL import Image

from devproc.exactness.bound import Key
from devproc.exactness.geometry import BOUNDS
from tests.exactness.measuring import (
    Array,
    Check,
    Measured,
    compare,
    photographs,
    random_images,
    run_step,
)

RESIZES = (
    ((37, 53), (20, 31)), ((20, 31), (37, 53)), ((301, 5), (3, 40)), ((1, 7), (4, 1)),
)  # fmt: skip
"""(height, width) before and after: down, up, extreme ratios, one pixel."""


def _pillow_resize(mode: str, dtype: str) -> Measured:
    def pairs() -> Iterator[tuple[Array, Array]]:
        rng = np.random.default_rng(0)
        images = list(random_images(rng, [old for old, _ in RESIZES]))
        sizes = [new for _, new in RESIZES]
        for image, size in zip(
            [*images, photographs()[0]], [*sizes, (97, 224)], strict=True
        ):
            x = image if dtype == "uint8" else image[..., 0].astype(np.float32)
            ours = run_step(lambda p, v, s=size: p.resize(v, s, "pillow", mode), x)
            filter_ = Image.Resampling[mode.upper()]
            yield (
                ours,
                np.asarray(Image.fromarray(x).resize((size[1], size[0]), filter_)),
            )

    return compare(pairs())


CHECKS: Mapping[Key, Check] = {
    key: partial(_pillow_resize, key.mode, key.dtype)
    for key in BOUNDS
    if key.like == "pillow"
}
"""Step, form and dtype -> what measures it."""
