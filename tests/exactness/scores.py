"""Checks of the family `scores`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.exactness.scores import BOUNDS
from tests.exactness.measuring import Case, Check, Measured, measure

SHAPES = ((1, 1), (3, 1000), (2, 7, 13), (5, 91))


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    argmax, sigmoid, softmax, top_k = BOUNDS
    for shape in SHAPES:
        x = rng.normal(0, 6, shape).astype(np.float32)
        t, k = torch.from_numpy(x), min(5, shape[-1])
        yield Case(argmax, lambda p, v: p.argmax(v), [x], t.argmax(-1).numpy(), "")
        yield Case(sigmoid, lambda p, v: p.sigmoid(v), [x], t.sigmoid().numpy(), "")
        yield Case(softmax, lambda p, v: p.softmax(v), [x], t.softmax(-1).numpy(), "")
        for part, wanted in enumerate(t.topk(k)):
            yield Case(
                top_k,
                lambda p, v, k=k, part=part: p.top_k(v, k)[part],
                [x],
                wanted.numpy(),
                "",
            )


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
