"""docs/models.json has a row for each model of the zoo, all of which match PyTorch."""

from __future__ import annotations

from devproc.survey import STEPS
from tests.zoo.__main__ import load
from tests.zoo.models import MODELS

DATA = load()


def test_each_model_of_the_zoo_has_its_row() -> None:
    assert list(DATA) == list(MODELS), "run `make models`"


def test_each_model_matches() -> None:
    assert {name for name, row in DATA.items() if row["passed"] != [*STEPS]} == set()


def test_errors_are_comparable_to_those_of_pytorch() -> None:
    """At most twice PyTorch's, or a few roundings where its own is small by chance."""
    for name, row in DATA.items():
        assert row["error"] <= max(2 * row["torch_error"], 3e-6), name
