"""What a program with `check_values` looks for, and how a call raises what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from devproc.errors import InputError
from devproc.ir.dtypes import format_shape
from devproc.ir.weights.aligned import address_of

if TYPE_CHECKING:
    import torch

    from devproc.runtime.calls.direct_call import Run

COLUMNS = 2
"""Of a row of the report: the place of the first refused value, and its value."""

FROM_FLOAT = -(2**63)
"""What NaN and infinities become as integers."""


@dataclass(frozen=True)
class ValueCheck:
    """One check of a program, as a message names it; the bounds are of no divisor."""

    of: str
    """The operator, as the export calls it."""
    what: str
    """What the values are: "index", "class", "divisor"."""
    lower: int
    upper: int
    shape: tuple[int, ...]
    """The shape of the values."""
    where: str
    """Module path and the user's line."""

    def refuses(self, value: int) -> bool:
        """Whether PyTorch raises an error for this value."""
        if self.what == DIVISOR:
            return value == 0
        return not self.lower <= value <= self.upper

    def violation(self, place: int, value: int) -> str:
        """What a message says of a refused value."""
        at = ""
        if self.shape:
            indices = ", ".join(str(i) for i in np.unravel_index(place, self.shape))
            at = f" at [{indices}] of {format_shape(self.shape)}"
        if self.what == DIVISOR:
            return f"{self.of} ({self.where}): integer division by zero{at}"
        cause = " (NaN or an infinity as an integer?)" if value == FROM_FLOAT else ""
        return (
            f"{self.of} ({self.where}): {self.what} {value}{cause}{at} is out of range, "
            f"it must be {self.lower} to {self.upper}"
        )


DIVISOR = "divisor"


class ValueChecks:
    """The checks of a program, whose report is one more output behind the others.

    A call that finds something raises InputError when it has run to its end; the
    program's state is then what it was before.
    """

    def __init__(self, checks: Sequence[ValueCheck], output_count: int):
        self._checks = checks
        self._outputs = output_count

    def watch_native(self, run: Run) -> Run:
        """A run on addresses that does not know of the report."""

        def run_watched(inputs: Sequence[int], outputs: Sequence[int]) -> None:
            report = np.zeros((len(self._checks), COLUMNS), np.int64)
            run(inputs, self._with_report(outputs, address_of(report)))
            self._raise_first(report)

        return run_watched

    def watch_tensors(self, run: Callable[..., None]) -> Callable[..., None]:
        """A run on tensors that does not know of the report."""

        def run_watched(
            inputs: Sequence[torch.Tensor],
            outputs: Sequence[torch.Tensor],
            observe: Any,
        ) -> None:
            import torch

            report = np.zeros((len(self._checks), COLUMNS), np.int64)
            shared = torch.from_numpy(report)  # pyright: ignore[reportUnknownMemberType]
            run(inputs, self._with_report(outputs, shared), observe)
            self._raise_first(report)

        return run_watched

    def _with_report(self, outputs: Sequence[Any], report: object) -> list[Any]:
        """The report stands between the outputs and the states."""
        return [*outputs[: self._outputs], report, *outputs[self._outputs :]]

    def _raise_first(self, report: NDArray[np.int64]) -> None:
        """Raises InputError for the first check of the program that refused a value."""
        rows = zip(self._checks, report.tolist(), strict=True)
        found = [
            check.violation(place, value)
            for check, (place, value) in rows
            if check.refuses(value)
        ]
        if found:
            more = f" ({len(found) - 1} other checks too)" if len(found) > 1 else ""
            raise InputError(f"{found[0]}{more}; the call has no result")
