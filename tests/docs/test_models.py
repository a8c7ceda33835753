"""docs/models.json has a row for each model of the zoo, all of which match PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from devproc.survey import STEPS
from tests.zoo import __main__ as command
from tests.zoo.__main__ import load, save
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


def test_rows_are_kept_without_those_of_models_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "RESULT", tmp_path / "models.json")
    assert load() == {}
    rows = {"tagger": DATA["tagger"], "gone": {}, "bert": DATA["bert"]}
    save(rows)
    assert list(load().items()) == [("bert", DATA["bert"]), ("tagger", DATA["tagger"])]
