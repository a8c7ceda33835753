"""Every operator that we claim, for every dtype that we claim, on PyTorch's samples."""

from __future__ import annotations

import pytest

from tests.ops import families
from tests.ops.harness import (
    FLOATS,
    Family,
    Report,
    check,
    dtypes_of,
    operators,
)

INTERPRETED_SAMPLES = 2


CLAIMS = [
    (family, name, dtypes)
    for family in families()
    for name, claimed in family.claimed.items()
    if (dtypes := dtypes_of(name, claimed))
]


def require_passed(report: Report) -> None:
    lines = "\n".join(report.failures)
    assert not report.failures, f"{report.passed} of {report.eligible}:\n{lines}"


def of_each_kind(dtypes: list[str]) -> list[str]:
    """The floats, and the first of all others."""
    others = [dtype for dtype in dtypes if dtype not in FLOATS]
    return [*(dtype for dtype in dtypes if dtype in FLOATS), *others[:1]]


@pytest.mark.parametrize(
    ("family", "name", "dtypes"), CLAIMS, ids=[name for _, name, _ in CLAIMS]
)
def test_samples(family: Family, name: str, dtypes: list[str]) -> None:
    excuse = family.excuses.get(name)
    if name in family.costly:
        require_passed(check(name, *of_each_kind(dtypes), excuse=excuse, most=1))
    else:
        require_passed(check(name, *dtypes, excuse=excuse))


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


def test_what_is_costly_is_claimed() -> None:
    for family in families():
        assert set(family.costly) <= set(family.claimed)


def test_no_operator_is_claimed_twice() -> None:
    names = [name for family in families() for name in family.claimed]
    assert sorted(names) == sorted(set(names))
    assert set(names) <= set(operators())
