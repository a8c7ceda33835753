"""A program of a few ops, with random inputs and weights, which a device may take whole."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from devproc.backend.conformance.values import SPECIAL
from devproc.ir.types import DTYPES, tensor
from devproc.reference.conversion.arrays import TORCH_DTYPES

NARROW, WIDE = (-128, 127), (-(2**31), 2**31 - 1)
Typed = tuple[str, tuple[int, ...]]
"""A dtype and a shape."""


@dataclass
class Chain:
    """The lines of a program, whose last value is the result."""

    name: str
    dtype: str
    """Of the inputs."""
    source: random.Random
    inputs: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    weights: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    lines: list[str] = field(default_factory=list[str])
    values: dict[str, Typed] = field(default_factory=dict[str, Typed])
    """All values, in the order of the program."""

    def __str__(self) -> str:
        shown = [
            str([*v.shape]) for v in (*self.inputs.values(), *self.weights.values())
        ]
        return f"{self.name} of {self.dtype}{' '.join(shown)}"

    @property
    def last(self) -> str:
        """The name of the newest value."""
        return next(reversed(self.values))

    @property
    def is_float(self) -> bool:
        """Whether the inputs are floats."""
        return TORCH_DTYPES[self.dtype].is_floating_point

    def type(self, name: str) -> str:
        """The type of a value."""
        return str(tensor(*self.values[name]))

    def input(self, *shape: int) -> str:
        """An input with any values, NaN and the ends of integers among them."""
        name = self._new("x", self.dtype, shape)
        self.inputs[name] = self._draw(self.dtype, shape, True)
        return name

    def weight(self, *shape: int, dtype: str = "") -> str:
        """A weight with any values, finite where they are floats."""
        name = self._new("w", dtype or self.dtype, shape)
        self.weights[name] = self._draw(dtype or self.dtype, shape, not self.is_float)
        return name

    def constant(
        self, dtype: str, shape: Sequence[int], numbers: Sequence[float]
    ) -> str:
        """A constant of these numbers."""
        name = self._new("k", dtype, shape)
        type_ = self.type(name)
        listed = torch.tensor(numbers, dtype=torch.float64).reshape(tuple(shape))
        if dtype not in ("float32", "float16", "bfloat16"):
            listed = listed.long()
        self.lines.append(
            f"%{name} = nn.constant dense<{listed.tolist()}> : {type_} : {type_}"
        )
        return name

    def op(
        self,
        name: str,
        *operands: str,
        rest: str = "",
        shape: Sequence[int] | None = None,
        dtype: str = "",
    ) -> str:
        """The value of an op; its dtype and shape are those of the first operand where none
        are given, and `rest` is what follows its operands."""
        own_dtype, own_shape = self.values[operands[0]]
        result = self._new(
            "v", dtype or own_dtype, own_shape if shape is None else shape
        )
        kinds = ", ".join(map(self.type, operands))
        given = [f"%{operand}" for operand in operands]
        if name in ("linear", "conv2d"):
            given = [f"{given[0]}, {given[1]}", *given[2:]]
        joined = (" bias " if name in ("linear", "conv2d") else ", ").join(given)
        self.lines.append(
            f"%{result} = nn.{name} {joined} {rest} : ({kinds}) -> {self.type(result)}"
        )
        return result

    def rescale(
        self, value: str, shift: int, to: str = "int8", channels: Sequence[int] = ()
    ) -> str:
        """A value by about 2**(31 - shift): by one scale, or by one for each channel, whose
        constants have the shape `channels`."""
        count = channels[0] if channels else 1
        multipliers = [self.source.randrange(1 << 30, 1 << 31) for _ in range(count)]
        shifts = [shift + self.source.randrange(3) for _ in range(count)]
        scale = self.constant("int32", channels, multipliers)
        by = self.constant("int8", channels, shifts)
        low, high = NARROW if to == "int8" else WIDE
        rest = f"zero 0 to {DTYPES[to]} zero 0 clamp {low} {high}"
        return self.op("rescale", value, scale, by, rest=rest, dtype=to)

    def clamp(self, value: str, how: str) -> str:
        """A value with the bounds "relu" or "both"; itself for ""."""
        if not how:
            return value
        if how == "relu":
            return self.op("relu", value)
        dtype = self.values[value][0]
        low, high = (-1.5, 6.0) if self.is_float else (-100, 90)
        above = self.op("maximum", value, self.constant(dtype, (), [low]))
        return self.op("minimum", above, self.constant(dtype, (), [high]))

    def _new(self, letter: str, dtype: str, shape: Sequence[int]) -> str:
        name = f"{letter}{len(self.values)}"
        self.values[name] = (dtype, tuple(shape))
        return name

    def _draw(self, dtype: str, shape: Sequence[int], special: bool) -> torch.Tensor:
        generator = torch.Generator().manual_seed(self.source.randrange(1 << 30))
        if self.is_float:
            found = 2 * torch.randn(tuple(shape), generator=generator)
            if special:
                # Only a few, for each reaches all sums that it is a term of.
                first = found.flatten()[: len(SPECIAL)]
                first[:] = torch.tensor(SPECIAL[: len(first)])
            return found.to(TORCH_DTYPES[dtype])
        kind = TORCH_DTYPES[dtype]
        ends = torch.iinfo(kind)
        found = torch.randint(ends.min, ends.max + 1, tuple(shape), generator=generator)
        found.flatten()[:1], found.flatten()[-1:] = ends.min, ends.max
        return found.to(kind)
