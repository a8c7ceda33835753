"""Checks of the family `color`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import torch

from devproc.exactness.bound import Key
from tests.exactness.measuring import Array, Check, Measured, compare, run_step

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _normalize(dtype: str) -> Measured:
    def pairs() -> Iterator[tuple[Array, Array]]:
        rng = np.random.default_rng(1)
        for shape in ((5, 7, 3), (1, 1, 3), (64, 33, 3)):
            x = rng.integers(0, 256, shape).astype(dtype)
            scaled = torch.from_numpy(x).float()
            scaled = scaled.div(255) if dtype == "uint8" else scaled
            wanted = scaled.sub(torch.tensor(MEAN)).div(torch.tensor(STD))
            yield run_step(lambda p, v: p.normalize(v, MEAN, STD), x), wanted.numpy()

    return compare(pairs())


CHECKS: Mapping[Key, Check] = {
    Key("normalize", "", "", dtype): partial(_normalize, dtype)
    for dtype in ("uint8", "float32")
}
"""Step, form and dtype -> what measures it."""
