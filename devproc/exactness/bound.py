"""The rows of the tables and of a program; does not import xDSL."""

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
"""In a key: any dtype that the step takes."""


class Key(NamedTuple):
    """The form of a step that a bound holds for, and the dtype of its input.

    `like` and `mode` are the properties of these names, or empty. The mode of a cast is its
    rounding, of a YOLO's head its version, of the next token its strategy.
    """

    step: str
    like: str
    mode: str
    dtype: str


@dataclass(frozen=True)
class Bound:
    """The largest distance from the reference, and the reference."""

    measure: Measure
    limit: float
    reference: str
    """The function compared with, by its full name: `PIL.Image.Image.resize`."""


@dataclass(frozen=True)
class StepBound:
    """The bound of one step of a program.

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
        """The bound in words that precede the name of the reference."""
        match Measure(self.measure):
            case Measure.EXACT:
                return "every bit of"
            case Measure.ABSOLUTE:
                return f"at most {self.limit:g} from"
            case Measure.RELATIVE:
                return f"at most {self.limit:g} of the largest value from"


def exact(reference: str) -> Bound:
    """Equal to the reference in every bit."""
    return Bound(Measure.EXACT, 0.0, reference)


def absolute(limit: float, reference: str) -> Bound:
    """No element is further than `limit` from the reference."""
    return Bound(Measure.ABSOLUTE, limit, reference)


def relative(limit: float, reference: str) -> Bound:
    """No element is further than `limit` times the reference's largest magnitude."""
    return Bound(Measure.RELATIVE, limit, reference)
