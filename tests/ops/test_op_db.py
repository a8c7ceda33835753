"""Every operator that we claim, in dtypes that we claim, on PyTorch's samples."""

from __future__ import annotations

import pytest

from tests.ops import families
from tests.ops.harness import (
    ALL,
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


def of_each_kind(dtypes: list[str], turn: int) -> list[str]:
    """float32, one of the other floats and one of the rest; by turns, so that the operators
    of a family see all of them. The support matrix holds what all give.
    """
    main = [dtype for dtype in dtypes if dtype == "float32"]
    floats = [dtype for dtype in dtypes if dtype in FLOATS and dtype not in main]
    others = [dtype for dtype in dtypes if dtype not in FLOATS]
    return [*main, *(kind[turn % len(kind)] for kind in (floats, others) if kind)]


@pytest.mark.parametrize(
    ("turn", "family", "name", "dtypes"),
    [(turn, *claim) for turn, claim in enumerate(CLAIMS)],
    ids=[name for _, name, _ in CLAIMS],
)
def test_samples(
    turn: int, family: Family, name: str, dtypes: list[str], full_sweeps: bool
) -> None:
    most = 1 if name in family.costly else None
    excuse = family.excuses.get(name)
    chosen = dtypes if full_sweeps else of_each_kind(dtypes, turn)
    require_passed(check(name, *chosen, excuse=excuse, most=most))


def test_each_dtype_has_its_turn() -> None:
    for dtype in ALL:
        claimed = sum(dtype in dtypes for _, _, dtypes in CLAIMS)
        tried = sum(
            dtype in of_each_kind(dtypes, turn)
            for turn, (_, _, dtypes) in enumerate(CLAIMS)
        )
        assert tried > claimed / 10, f"{dtype}: {tried} of {claimed} operators"


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
