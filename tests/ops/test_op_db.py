"""Every operator that we claim, for every dtype that we claim, on PyTorch's samples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ops import families
from tests.ops.harness import (
    FEW_SAMPLES,
    FULLY_TESTED,
    MOST_SAMPLES,
    Family,
    Report,
    check,
    dtypes_of,
    operators,
)

INTERPRETED_SAMPLES = 2


def claims() -> Iterator[tuple[Family, str, tuple[str, ...]]]:
    """Each dtype of FULLY_TESTED alone, the others together."""
    for family in families():
        for name, claimed in family.claimed.items():
            dtypes = dtypes_of(name, claimed)
            for dtype in dtypes:
                if dtype in FULLY_TESTED:
                    yield family, name, (dtype,)
            others = tuple(d for d in dtypes if d not in FULLY_TESTED)
            if others:
                yield family, name, others


CLAIMS = list(claims())


def require_passed(report: Report) -> None:
    lines = "\n".join(report.failures)
    assert not report.failures, f"{report.passed} of {report.eligible}:\n{lines}"


@pytest.mark.parametrize(
    ("family", "name", "dtypes"),
    CLAIMS,
    ids=[f"{n}-{d[0] if d[0] in FULLY_TESTED else 'others'}" for _, n, d in CLAIMS],
)
def test_samples(family: Family, name: str, dtypes: tuple[str, ...]) -> None:
    most = MOST_SAMPLES if dtypes[0] in FULLY_TESTED else FEW_SAMPLES
    require_passed(check(name, *dtypes, excuse=family.excuses.get(name), most=most))


INTERPRETED = [(f, name) for f in families() for name in f.interpreted]


@pytest.mark.parametrize(
    ("family", "name"), INTERPRETED, ids=[name for _, name in INTERPRETED]
)
def test_samples_on_interpreted_triton(family: Family, name: str) -> None:
    report = check(
        name,
        dtypes_of(name, ["float32", *family.claimed[name]])[0],
        target="cuda:interpret",
        excuse=family.excuses.get(name),
        most=INTERPRETED_SAMPLES,
    )
    require_passed(report)


def test_no_operator_is_claimed_twice() -> None:
    names = [name for family in families() for name in family.claimed]
    assert sorted(names) == sorted(set(names))
    assert set(names) <= set(operators())
