"""Random models from the supported operators, grown step by step in eager PyTorch.

A step that eager refuses, or whose values leave the range in which a comparison means
something, is dropped; so every model runs, and the same seed gives the same model.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import torch
from torch import nn

Step = Callable[["Chain", list[torch.Tensor]], torch.Tensor]
Table = Sequence[tuple[Callable[["Grower"], None], int]]
"""Functions that add a step, with their weights."""

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33)
LARGE_SIZES = (1, 3, 8, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 200, 257, 512, 1000)


class Chain(nn.Module):
    """A model as a list of steps, each taking all values before it."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        self.steps: list[Step] = []
        self.outputs: list[int] = []
        self.wide = False

    def forward(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        values = list(inputs)
        for step in self.steps:
            values.append(step(self, values))
        return [values[i] for i in self.outputs]

    def cast(self, x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """The cast of a step; every float is a double in the wide run."""
        return x.to(torch.float64 if self.wide and dtype.is_floating_point else dtype)


@dataclass
class Sample:
    """A model with inputs, and which of its values must be equal bit for bit."""

    model: Chain
    inputs: tuple[torch.Tensor, ...]
    exact: list[bool]
    story: list[str]


@dataclass
class Grower:
    """Adds random steps to a model and keeps the values they have on the inputs."""

    rng: random.Random
    numbers: torch.Generator
    largest: int
    dtypes: Sequence[torch.dtype]
    special: bool = False
    model: Chain = field(default_factory=Chain)
    values: list[torch.Tensor] = field(default_factory=list[torch.Tensor])
    exact: list[bool] = field(default_factory=list[bool])
    story: list[str] = field(default_factory=list[str])

    def shape(self, rank: int) -> tuple[int, ...]:
        """A random shape; small sizes, now and then a size 0."""
        while True:
            table = LARGE_SIZES if self.largest > 4096 else SIZES
            sizes = [self.rng.choice(table) for _ in range(rank)]
            if rank and self.rng.random() < 0.015:
                sizes[self.rng.randrange(rank)] = 0
            if prod(sizes) <= self.largest:
                return tuple(sizes)

    def tensor(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """Random values of a dtype; with NaN, infinities and -0 where wanted."""
        x = torch.randn(tuple(shape), generator=self.numbers, dtype=torch.float64)
        if not dtype.is_floating_point:
            x = x * 5
            return (x.abs() if dtype == torch.uint8 else x).to(torch.int64).to(dtype)
        if self.special and x.numel():
            for value in (float("nan"), float("inf"), -float("inf"), -0.0, 1e-40):
                x.view(-1)[self.rng.randrange(x.numel())] = value
        return x.to(dtype)

    def pick(self, accept: Callable[[torch.Tensor], bool]) -> int | None:
        """The place of a random value that is accepted; later ones are likelier."""
        places = [i for i, v in enumerate(self.values) if accept(v)]
        if not places:
            return None
        return max(self.rng.choice(places), self.rng.choice(places))

    def add(self, text: str, step: Step, exact: bool) -> bool:
        """Adds a step if eager PyTorch runs it and its values are in range."""
        try:
            with torch.no_grad():
                value = step(self.model, self.values)
        except (RuntimeError, IndexError, ValueError, TypeError):
            return False
        if value.numel() > 4 * self.largest or not self.in_range(value):
            return False
        self.model.steps.append(step)
        self.values.append(value)
        self.exact.append(exact)
        shape = "x".join(map(str, value.shape))
        self.story.append(f"%{len(self.values) - 1}:{shape} {value.dtype} = {text}")
        return True

    def in_range(self, value: torch.Tensor) -> bool:
        """Whether rounding errors stay rounding errors: nothing huge."""
        if self.special or value.numel() == 0 or not value.is_floating_point():
            return True
        limit = 1e3 if value.dtype in (torch.float16, torch.bfloat16) else 1e6
        return bool(value.isfinite().all()) and float(value.abs().max()) < limit

    def layer(self, module: nn.Module) -> int:
        """Registers a layer with random parameters; its number."""
        for parameter in module.parameters():
            fan = max(1, prod(parameter.shape[1:]))
            values = torch.randn(parameter.shape, generator=self.numbers) / fan**0.5
            parameter.data.copy_(values)
        self.model.layers.append(module.eval())
        return len(self.model.layers) - 1

    def choice(self, items: Sequence[Any]) -> Any:
        """A random item."""
        return self.rng.choice(items)


def grow(seed: int, largest: int = 2048, steps: int = 8) -> Sample:
    """The random model of a seed."""
    from tests.fuzz.steps import STEPS

    rng = random.Random(seed)
    dtypes = [torch.float32] if rng.random() < 0.65 else [*FLOATS, *INTEGERS]
    numbers = torch.Generator().manual_seed(seed)
    grower = Grower(rng, numbers, largest, dtypes, special=rng.random() < 0.1)
    for _ in range(rng.randint(1, 3)):
        rank = rng.choice([4, 4, 2, 2, 3, 1, 5, 0])
        dtype = rng.choice(dtypes)
        batched = (rng.randint(1, 5), *grower.shape(rank))[:rank]
        shape = batched if prod(batched) <= largest else grower.shape(rank)
        grower.values.append(grower.tensor(shape, dtype))
        grower.exact.append(True)
        grower.story.append(f"input {'x'.join(map(str, shape))} {dtype}")
    return fill(grower, STEPS, rng.randint(1, steps))


def fill(grower: Grower, table: Table, wanted: int) -> Sample:
    """Adds up to `wanted` steps to a model that has its inputs only."""
    count = len(grower.values)
    for _ in range(20 * wanted):
        if len(grower.model.steps) < wanted:
            grower.rng.choices([s for s, _ in table], [w for _, w in table])[0](grower)
    return finish(grower, count)


def finish(grower: Grower, count: int) -> Sample:
    """Chooses the outputs: the last value and some others, perhaps an input."""
    places = list(range(len(grower.values)))
    made = places[count:] or places
    extra = [p for p in places if grower.rng.random() < 0.15]
    grower.model.outputs = [made[-1], *extra[:3]]
    grower.story.append(f"return {grower.model.outputs}")
    grower.model.eval()
    return Sample(
        grower.model,
        tuple(grower.values[:count]),
        [grower.exact[i] for i in grower.model.outputs],
        grower.story,
    )
