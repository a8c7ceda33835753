"""The value checks of a program with `check_values`: their report becomes an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from devproc.errors import InputError
from devproc.ir.value_check import COLUMNS, ValueCheck
from devproc.ir.weights.aligned import address_of

if TYPE_CHECKING:
    from devproc.runtime.calls.direct_call import Run


class ValueChecks:
    """The checks of a program, whose report is an additional output after the others.

    A call that violates one runs to its end and then raises InputError; the program's state
    remains as it was before.
    """

    def __init__(self, checks: Sequence[ValueCheck], output_count: int):
        self._checks = checks
        self._outputs = output_count

    def watch_native(self, run: Run) -> Run:
        """A run on addresses that inserts the report into its outputs."""
        return self._watch(run, address_of)

    def watch_tensors(self, run: Callable[..., None]) -> Callable[..., None]:
        """A run on tensors that inserts the report into its outputs."""
        import torch

        return self._watch(run, torch.from_numpy)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    def _watch(
        self, run: Callable[..., None], given_as: Callable[[NDArray[np.int64]], Any]
    ) -> Callable[..., None]:
        def run_watched(
            inputs: Sequence[Any], outputs: Sequence[Any], *observe: Any
        ) -> None:
            (report,) = self.reports(1)
            # The report comes after the outputs and before the states.
            own, states = outputs[: self._outputs], outputs[self._outputs :]
            run(inputs, [*own, given_as(report), *states], *observe)
            self.raise_first(report)

        return run_watched

    def reports(self, count: int) -> NDArray[np.int64]:
        """Memory for the reports of so many calls."""
        return np.zeros((count, len(self._checks), COLUMNS), np.int64)

    def raise_first(self, report: NDArray[np.int64]) -> None:
        """Raises InputError for the first check that refused a value."""
        rows = zip(self._checks, report.tolist(), strict=True)
        found = [
            check.violation(place, value)
            for check, (place, value) in rows
            if check.refuses(value)
        ]
        if found:
            more = f" ({len(found) - 1} other checks too)" if len(found) > 1 else ""
            raise InputError(f"{found[0]}{more}; the call has no result")
