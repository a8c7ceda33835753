"""What a program with `check_values` looks for, and how a call raises what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from devproc.errors import InputError
from devproc.ir.value_check import COLUMNS, ValueCheck
from devproc.ir.weights.aligned import address_of

if TYPE_CHECKING:
    import torch

    from devproc.runtime.calls.direct_call import Run


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
