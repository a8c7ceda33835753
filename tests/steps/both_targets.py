"""Cases run on the CPU and, as printed Triton, under its interpreter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import devproc
from devproc.frontends.dsl import Value
from tests.exactness.measuring import Array, Case

TARGETS = ("cpu", "cuda:interpret")


def results(cases: Sequence[Case], target: str) -> list[Array]:
    """What one program of all cases gives, in their order."""
    pipe = devproc.pipeline("steps")
    given: dict[str, Array] = {}
    for number, case in enumerate(cases):
        values: list[Value] = []
        for place, array in enumerate(case.arrays):
            name, layout = f"x{number}_{place}", "" if place else case.layout
            given[name] = array
            values.append(pipe.input(name, str(array.dtype), array.shape, layout))
        pipe.output(f"y{number}", case.step(pipe, *values))
    found = devproc.compile(pipe, target=target, threads=1)(**given)
    return [found[f"y{number}"] for number in range(len(cases))]


def assert_equal(cases: Sequence[Case], target: str, rtol: float = 0.0) -> None:
    """Each result is what its case wants, bit for bit, or within a relative error."""
    for number, (case, y) in enumerate(zip(cases, results(cases, target), strict=True)):
        assert y.dtype == case.wanted.dtype, number
        np.testing.assert_allclose(
            y, case.wanted, rtol=rtol, atol=0, equal_nan=True, err_msg=f"case {number}"
        )
