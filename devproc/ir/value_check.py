"""A value check of a program compiled with `check_values`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from devproc.ir.dtypes import format_shape

COLUMNS = 2
"""Columns of a row of the report: the position of the first invalid value, and the value."""

FROM_FLOAT = -(2**63)
"""The integer that NaN and infinities are converted to."""


@dataclass(frozen=True)
class ValueCheck:
    """One check of a program; `lower` and `upper` do not apply to divisors."""

    of: str
    """The name of the operator in the export."""
    what: str
    """The kind of values: "index", "class", "divisor"."""
    lower: int
    upper: int
    shape: tuple[int, ...]
    """The shape of the values."""
    where: str
    """Module path and the user's line."""

    def refuses(self, value: int) -> bool:
        """Whether PyTorch would raise an error for this value."""
        if self.what == DIVISOR:
            return value == 0
        return not self.lower <= value <= self.upper

    def violation(self, place: int, value: int) -> str:
        """The message for an invalid value."""
        at = ""
        if self.shape:
            indices = ", ".join(str(i) for i in np.unravel_index(place, self.shape))
            at = f" at [{indices}] of {format_shape(self.shape)}"
        if self.what == DIVISOR:
            return f"{self.of} ({self.where}): integer division by zero{at}"
        if self.what.startswith(ASSERTION):
            return f"{self.of} ({self.where}): {self.what}{at}"
        cause = " (NaN or an infinity as an integer?)" if value == FROM_FLOAT else ""
        return (
            f"{self.of} ({self.where}): {self.what} {value}{cause}{at} is out of range, "
            f"it must be {self.lower} to {self.upper}"
        )


DIVISOR = "divisor"

ASSERTION = "assertion failed"
"""The prefix of the `what` of a condition, whose values are 0 or 1."""
