"""What a row of the tables is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Measure(Enum):
    """How the distance from the library's result is measured."""

    EXACT = "bit-exact"
    ABSOLUTE = "absolute"
    RELATIVE = "relative to the largest value"


class Key(NamedTuple):
    """What a bound holds for: a step in one of its forms, for one dtype of its input.

    `like` and `mode` are the properties of these names, empty where a step has none.
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


def exact(reference: str) -> Bound:
    """Every bit is that of the reference."""
    return Bound(Measure.EXACT, 0.0, reference)


def absolute(limit: float, reference: str) -> Bound:
    """No element is further than `limit` from the reference."""
    return Bound(Measure.ABSOLUTE, limit, reference)


def relative(limit: float, reference: str) -> Bound:
    """No element is further than `limit` times the reference's largest magnitude."""
    return Bound(Measure.RELATIVE, limit, reference)
