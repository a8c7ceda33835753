"""Tolerance: the allowed error of a result against the op's reference."""

from __future__ import annotations

from enum import Enum


class Tolerance(Enum):
    """Integers and bools must be equal in any case."""

    EXACT = "equal"
    """It moves, selects or compares: nothing is rounded."""
    ROUNDED = "relative to the largest element"
    SUMMED = "relative to the sum of the magnitudes of the terms, too"
