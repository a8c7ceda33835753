"""Calls in a row of a program that takes nothing but states."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from devproc.ir.host.control import FIELDS, FOLLOW, LIMIT, MADE
from devproc.ir.weights.aligned import address_of
from devproc.runtime.calls.interface import TensorSpec
from devproc.runtime.execution.host_program import Repeat
from devproc.runtime.execution.value_checks import ValueChecks

Array = NDArray[Any]

Follow = Callable[[Mapping[str, Array]], object]
"""Takes the outputs of a call; a false result ends the calls."""

_FOLLOW_TYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


def repeat_calls(
    call: Callable[[], Mapping[str, Array]],
    repeat: Repeat,
    count: int,
    follow: Follow | None,
) -> dict[str, Array]:
    """The outputs of calls that the runtime makes one by one."""
    rows: list[Mapping[str, Array]] = []
    wanted: object = True
    while len(rows) < count and wanted:
        rows.append(call())
        wanted = True if follow is None else follow(rows[-1])
        *_, ended = list(rows[-1].values())[: repeat.until + 1]
        wanted = wanted and not ended.any()
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


class NativeRepeat:
    """Calls in a row by the native loop of a program."""

    def __init__(
        self,
        run: Callable[[Sequence[int], int], None],
        repeat: Repeat,
        outputs: Sequence[TensorSpec],
        checks: ValueChecks | None,
        between_calls: Callable[[], AbstractContextManager[None]],
    ):
        self._run = run
        self._at_most = repeat.at_most
        self._outputs = outputs
        self._checks = checks
        self._between = between_calls

    def __call__(self, count: int, follow: Follow | None) -> dict[str, Array]:
        """The outputs of all calls; raises what `follow` raises, after its call is done, and
        InputError for a call that a check refuses."""
        made = {
            spec.name: np.empty((self._at_most, *spec.shape), spec.dtype)
            for spec in self._outputs
        }
        reports = [self._checks.reports(self._at_most)] if self._checks else []
        control = np.zeros(FIELDS, np.int64)
        control[LIMIT] = count
        raised: list[BaseException] = []
        callback = None
        if follow is not None:
            answers = self._answers(follow, made, reports, control, raised)
            next(answers)
            callback = _FOLLOW_TYPE(answers.send)
            control[FOLLOW] = ctypes.cast(callback, ctypes.c_void_p).value or 0
        self._run([*map(address_of, [*made.values(), *reports])], address_of(control))
        if raised:
            raise raised[0]
        self._raise_refused(reports, control)
        return {name: rows[: control[MADE]] for name, rows in made.items()}

    def _raise_refused(
        self, reports: Sequence[NDArray[np.int64]], control: NDArray[np.int64]
    ) -> None:
        """Raises InputError if a check refuses the last call."""
        for report in reports:
            assert self._checks is not None
            self._checks.raise_first(report[control[MADE] - 1])

    def _answers(
        self,
        follow: Follow,
        made: Mapping[str, Array],
        reports: Sequence[NDArray[np.int64]],
        control: NDArray[np.int64],
        raised: list[BaseException],
    ) -> Generator[int, object, None]:
        """Yields after each call whether to go on.

        A generator: native code resumes it inside of `try`, so that the exception of a signal
        handler, which Python runs as soon as native code calls it, is caught like any other.
        """
        try:
            wanted: object = True
            while True:
                yield bool(wanted)
                self._raise_refused(reports, control)
                with self._between():
                    last = int(control[MADE]) - 1
                    wanted = follow({name: rows[last] for name, rows in made.items()})
        except GeneratorExit:
            return
        except BaseException as error:
            raised.append(error)
        while True:
            yield 0
