"""Checks of the steps on tokens and embeddings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from devproc.exactness.bound import Key
from devproc.frontends.dsl import Pipeline, Value
from tests.exactness.measuring import Array, Check, Measured, compare, run_step


def states() -> Array:
    """float32 (3, 7, 33); of the last row all is masked by `mask_of`."""
    return np.random.default_rng(4).standard_normal((3, 7, 33)).astype(np.float32)


MASK = ((1, 1, 1, 0, 0, 0, 0), (1,) * 7, (0,) * 7)


def _mean_pool() -> Measured:
    x = states()

    def step(p: Pipeline, v: Value) -> Value:
        ids = p.constant("mask", np.array(MASK, np.int64))
        return p.mean_pool(v, p.attention_mask(ids))

    mask = torch.tensor(MASK)[..., None].float()
    total = (torch.from_numpy(x) * mask).sum(1)
    wanted = total / mask.sum(1).clamp(min=1e-9)
    return compare([(run_step(step, x, ""), wanted.numpy())])


def _l2_normalize() -> Measured:
    x = states()
    x[0, 0] = 0
    wanted = torch.nn.functional.normalize(torch.from_numpy(x), dim=-1)
    ours = run_step(lambda p, v: p.l2_normalize(v), x, "")
    return compare([(ours, wanted.numpy())])


def _cosine_similarity() -> Measured:
    x = states()[:, 0]
    unit = torch.nn.functional.normalize(torch.from_numpy(x), dim=1)
    ours = run_step(lambda p, v: p.cosine_similarity(v, v), x, "")
    return compare([(ours, (unit @ unit.T).numpy())])


CHECKS: Mapping[Key, Check] = {
    Key("mean_pool", "", "", "float32"): _mean_pool,
    Key("l2_normalize", "", "", "float32"): _l2_normalize,
    Key("cosine_similarity", "", "", "float32"): _cosine_similarity,
}
"""Step, form and dtype -> what measures it."""
