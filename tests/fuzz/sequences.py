"""Random models of sequences: recurrent layers with few other steps between them."""

from __future__ import annotations

import random
from typing import Any

import torch
from torch import nn

from tests.fuzz.elementwise import ELEMENTWISE, is_float
from tests.fuzz.models import FLOATS, Grower, Sample, Table, fill
from tests.fuzz.movement import MOVES
from tests.fuzz.steps import STEPS

KINDS: tuple[Any, ...] = (nn.LSTM, nn.GRU, nn.RNN)


def is_sequence(x: torch.Tensor) -> bool:
    """(time, width), or that with a batch before or after the time."""
    return is_float(x) and x.dim() in (2, 3) and x.numel() > 0 and max(x.shape[:2]) < 10


def recurrent(g: Grower) -> None:
    """An LSTM, GRU or RNN; its outputs of all steps, or its state after the last."""
    place = g.pick(is_sequence)
    if place is None:
        return
    x, kind, hidden = g.values[place], g.choice(KINDS), g.rng.randint(1, 9)
    more: dict[str, Any] = {}
    if kind is nn.LSTM and hidden > 1 and g.rng.random() < 0.4:
        more["proj_size"] = g.rng.randint(1, hidden - 1)
    if kind is nn.RNN:
        more["nonlinearity"] = g.choice(["tanh", "relu"])
    layer = kind(
        x.shape[-1],
        hidden,
        num_layers=g.choice([1, 1, 2]),
        bias=g.rng.random() < 0.7,
        batch_first=g.rng.random() < 0.5,
        bidirectional=g.rng.random() < 0.5,
        **more,
    )
    number, part = g.layer(layer.to(x.dtype)), g.choice([0, 0, 1])

    def step(model: Any, values: list[torch.Tensor]) -> torch.Tensor:
        found = model.layers[number](values[place])[part]
        return found[-1] if isinstance(found, tuple) else found

    g.add(f"{layer} %{place} [{part}]", step, False)


BETWEEN = [*STEPS, *ELEMENTWISE, *MOVES]
SEQUENCE_STEPS: Table = [(recurrent, 3 * sum(w for _, w in BETWEEN)), *BETWEEN]


def grow_sequences(seed: int) -> Sample:
    """The random model of a seed; three of four steps are recurrent layers."""
    rng = random.Random(seed)
    numbers = torch.Generator().manual_seed(seed)
    dtypes = [torch.float32] if rng.random() < 0.8 else [*FLOATS]
    grower = Grower(rng, numbers, 2048, dtypes, special=rng.random() < 0.1)
    shape = (rng.randint(1, 9), rng.randint(1, 5), rng.randint(1, 9))
    shape, dtype = shape[rng.randint(0, 3) // 3 :], rng.choice(dtypes)
    grower.values.append(grower.tensor(shape, dtype))
    grower.exact.append(True)
    grower.story.append(f"input {'x'.join(map(str, shape))} {dtype}")
    return fill(grower, SEQUENCE_STEPS, rng.randint(1, 4))
