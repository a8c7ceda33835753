"""What a row of the tables is, and a row of a program; loads no xDSL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Measure(Enum):
    """How the distance from the library's result is measured."""

    EXACT = "bit-exact"
    ABSOLUTE = "absolute"
    RELATIVE = "relative to the largest value"


ANY = "any"
"""In a key: whatever dtype the step takes."""


class Key(NamedTuple):
    """What a bound holds for: a step in one of its forms, for one dtype of its input.

    `like` and `mode` are the properties of these names, empty where a step has none; the
    mode of a cast is its rounding, of a YOLO's head its version, of a choice of tokens its
    strategy.
    """

    step: str
    like: str
    mode: str
    dtype: str


@dataclass(frozen=True)
class Bound:
    """The largest distance from the reference, and what the reference is."""

    measure: Measure
    limit: float
    reference: str
    """The function compared with, as a reader finds it: `PIL.Image.Image.resize`."""


@dataclass(frozen=True)
class StepBound:
    """How far a step of a program may be from its reference.

    `dtype` is that of the step's input; `measure` one of the values of `Measure`.
    """

    step: str
    where: str
    like: str
    mode: str
    dtype: str
    measure: str
    limit: float
    reference: str

    def __str__(self) -> str:
        return f"{self.step} ({self.where}): {self.promise} {self.reference}"

    @property
    def promise(self) -> str:
        """The bound in words, which go before the name of the reference."""
        match Measure(self.measure):
            case Measure.EXACT:
                return "every bit of"
            case Measure.ABSOLUTE:
                return f"at most {self.limit:g} from"
            case Measure.RELATIVE:
                return f"at most {self.limit:g} of the largest value from"


def exact(reference: str) -> Bound:
    """Every bit is that of the reference."""
    return Bound(Measure.EXACT, 0.0, reference)


def absolute(limit: float, reference: str) -> Bound:
    """No element is further than `limit` from the reference."""
    return Bound(Measure.ABSOLUTE, limit, reference)


def relative(limit: float, reference: str) -> Bound:
    """No element is further than `limit` times the reference's largest magnitude."""
    return Bound(Measure.RELATIVE, limit, reference)
