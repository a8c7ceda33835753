"""Cases run on the CPU and, as printed Triton, under its interpreter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.exactness.measuring import Case, results

TARGETS = ("cpu", "cuda:interpret")


def assert_equal(cases: Sequence[Case], target: str, rtol: float = 0.0) -> None:
    """Each result is what its case wants, bit for bit, or within a relative error."""
    for number, (case, y) in enumerate(zip(cases, results(cases, target), strict=True)):
        assert y.dtype == case.wanted.dtype, number
        np.testing.assert_allclose(
            y, case.wanted, rtol=rtol, atol=0, equal_nan=True, err_msg=f"case {number}"
        )
