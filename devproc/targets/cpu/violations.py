"""Violations found with `check_bounds`: accesses that would have been out of bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from devproc.errors import BoundsError
from devproc.ir.concurrency.locks import OneCallAtATime

VIOLATIONS = "devproc_violations"
"""The symbol of the table; see `devproc.targets.cpu.transforms.to_llvm.bounds`."""


@dataclass(frozen=True)
class CheckedAccess:
    """One access of a kernel, as a message names it."""

    kernel: str
    op: str
    lanes: int
    """Elements that it accesses."""
    memory: str
    """Dtype and shape of the memory in the kernel."""
    elements: int
    where: str
    """The user's line."""

    def violation(self, element: int) -> str:
        """The message for a violation at an element."""
        many = f"{self.lanes} elements from" if self.lanes > 1 else "one element,"
        if self.op == "simd.gather":
            many = f"{self.lanes} elements, one of them"
        return (
            f"kernel '{self.kernel}' ({self.where}): '{self.op}' of {many} number "
            f"{element}, in {self.memory}, which has the elements 0 to "
            f"{self.elements - 1}"
        )


class Violations:
    """The table of violations of a loaded program, by the number of the access."""

    def __init__(self, accesses: Sequence[CheckedAccess]):
        self._accesses = accesses
        self._table = np.zeros((len(accesses), 2), np.int64)
        self._calls = OneCallAtATime("this program, which checks its accesses,")

    @property
    def symbols(self) -> dict[str, int]:
        """The symbols that checked code links against."""
        return {VIOLATIONS: self._table.ctypes.data}

    def watch(self, run: Callable[[int], None]) -> Callable[[int], None]:
        """The entry of a segment made to raise BoundsError; one call at a time."""

        def run_watched(table: int) -> None:
            self._table[...] = 0
            run(table)
            self._raise_first()

        return partial(self._calls.run, run_watched)

    def _raise_first(self) -> None:
        """Raises BoundsError for the first access of the program that failed."""
        failed = np.flatnonzero(self._table[:, 0])
        if not failed.size:
            return
        first = int(failed[0])
        found = self._accesses[first].violation(int(self._table[first, 1]))
        others = f" ({failed.size - 1} other accesses too)" if failed.size > 1 else ""
        raise BoundsError(
            f"{found}{others}; nothing outside was read or written, and the call has no "
            "result. No input may lead here: it is a fault of a schedule, or of the "
            'lowering of a registered operator. Report it with program.ir("cpu")'
        )
