"""Checks of the family `generation`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from transformers import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from devproc.exactness.bound import Key
from devproc.exactness.generation import BOUNDS, TIE
from tests.exactness.measuring import Array, Case, Check, Measured, measure

WORD = np.uint64(0xFFFFFFFF)
MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
KEY_STEPS = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)

FORMS = (
    ("top_k", 5, 1.0, None, 0.7),
    ("top_k", 40, 1.0, 0.1, 0.9),
    ("top_p", None, 0.8, None, 1.5),
    ("top_p", 30, 0.7, 0.05, 1.2),
)
"""Strategy, k, p, min_p and temperature."""


def philox(counter: Array, seed: int) -> Array:
    """Philox 4x32-10 of (Salmon et al.): the first word for each counter (n, 4)."""
    c = list(counter.astype(np.uint64).T)
    key = np.array([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF], np.uint64)
    for _ in range(10):
        products = [c[0] * MULTIPLIERS[0], c[2] * MULTIPLIERS[1]]
        low, high = [p & WORD for p in products], [p >> np.uint64(32) for p in products]
        c = [high[1] ^ c[1] ^ key[0], low[1], high[0] ^ c[3] ^ key[1], low[0]]
        key = (key + KEY_STEPS) & WORD
    return c[0]


def gumbel(shape: tuple[int, ...], seed: int) -> Array:
    """The noise of each token of each row, in float64."""
    rows, tokens = np.indices(shape).reshape(2, -1)
    counter = np.stack([tokens, rows, tokens * 0, tokens * 0], 1)
    uniform = ((philox(counter, seed) >> np.uint64(9)) + 0.5) / 2**23
    return -np.log(-np.log(uniform)).reshape(shape)


def drawn(logits: Array, form: tuple[Any, ...], seed: int) -> tuple[Array, Array]:
    """The token of each row, and where it is no matter of rounding."""
    strategy, k, p, min_p, temperature = form
    ids: Any = None
    warm: Any = TemperatureLogitsWarper(temperature)
    scores: Any = warm(ids, torch.from_numpy(logits))
    clear = np.ones(len(logits), np.bool_)
    if k is not None:
        scores = TopKLogitsWarper(min(k, logits.shape[1]))(ids, scores)
    if strategy == "top_p":
        total = scores.double().sort()[0].softmax(-1).cumsum(-1)
        clear = ((total - (1 - p)).abs() > TIE).all(1).numpy()
        scores = TopPLogitsWarper(p)(ids, scores)
    if min_p is not None:
        scores = MinPLogitsWarper(min_p)(ids, scores)
    noisy = scores.double().numpy() + gumbel(logits.shape, seed)
    best, second = np.sort(noisy, 1)[:, :-3:-1].T
    clear &= best - second > TIE
    return noisy.argmax(1), clear


def _cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    greedy, *_ = BOUNDS
    for shape in ((1, 1), (7, 1001)):
        x = rng.standard_normal(shape).astype(np.float32).round(1)
        x[-1, -1] = np.nan
        wanted = torch.from_numpy(x).argmax(1).numpy()
        wanted[-1] = -1
        yield Case(greedy, lambda p, v: p.next_token(v), [x], wanted, "")
    for number, form in enumerate(FORMS):
        x = (3 * rng.standard_normal((61, 137 + 97 * number))).astype(np.float32)
        seed = int(rng.integers(-(2**63), 2**63))
        wanted, clear = drawn(x, form, seed)
        assert clear.mean() > 0.9
        # Without a token: the next largest scores would be drawn from otherwise.
        x[5, 3], wanted[5], clear[5] = np.nan, -1, True
        strategy, k, p, min_p, temperature = form
        step = partial(
            lambda pipe, v, s, how, **given: pipe.next_token(v, how, seed=s, **given),
            how=strategy,
            k=k,
            p=p,
            min_p=min_p,
            temperature=temperature,
        )
        key = Key("next_token", "", strategy, "float32")
        yield Case(key, step, [x, np.array([seed])], wanted, "", clear)
        # A seed for each row: as if it were the only one.
        x, seeds = x[:9], rng.integers(-(2**63), 2**63, 9)
        rows = [drawn(x[n : n + 1], form, int(seeds[n])) for n in range(9)]
        wanted, clear = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        yield Case(key, step, [x, seeds], wanted, "", clear)
    yield from _penalties(rng)


def _penalties(rng: np.random.Generator) -> Iterator[Case]:
    """Counts and penalties, of two rows; some ids are of no token, some only padding."""
    for dtype in ("int32", "int64"):
        counts = rng.integers(0, 3, (2, 41)).astype(dtype)
        ids = rng.integers(-2, 43, (2, 57))
        key = Key("count_tokens", "", "", dtype)
        for lengths in ([50], [50, 50], [7, 0]):
            wanted = counts.copy()
            for row, listed in enumerate(ids):
                listed = listed[: lengths[row % len(lengths)]]
                np.add.at(wanted[row], listed[(listed >= 0) & (listed < 41)], 1)
            given = [counts, ids, np.array(lengths)]
            yield Case(
                key, lambda p, c, i, n: p.count_tokens(c, i, n), given, wanted, ""
            )
    x = rng.standard_normal((2, 41)).astype(np.float32)
    x[0, :3] = np.inf, -np.inf, -0.0
    counts = rng.integers(0, 3, (2, 41)).astype(np.int32)
    wanted = x.copy()
    for row in range(2):
        seen = torch.from_numpy(np.flatnonzero(counts[row]))[None]
        warper: Any = RepetitionPenaltyLogitsProcessor(1.3)
        wanted[row] = warper(seen, torch.from_numpy(x[row : row + 1].copy()))[0]
    wanted = (
        wanted
        - (counts > 0) * np.float32(0.5)
        - counts.astype(np.float32) * np.float32(0.25)
    )
    penalties = {"repetition": 1.3, "presence": 0.5, "frequency": 0.25}
    yield Case(
        Key("penalize_tokens", "", "", "float32"),
        lambda p, v, c: p.penalize_tokens(v, c, **penalties),
        [x, counts],
        wanted.astype(np.float32),
        "",
    )


@cache
def _measured() -> Mapping[Key, Measured]:
    return measure(list(_cases()))


CHECKS: Mapping[Key, Check] = {
    key: partial(lambda key: _measured()[key], key) for key in BOUNDS
}
"""Step, form and dtype -> what measures it."""
