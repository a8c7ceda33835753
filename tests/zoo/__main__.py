"""`python -m tests.zoo [name...]`: takes models of the zoo through export, compile, compare.

The results are kept in docs/models.json, from which docs/models.md is generated. Without
names, the models that the file lacks are measured, so that an interrupted run is resumed;
with `--all`, every model.
"""

from __future__ import annotations

import argparse
import datetime
import json
from importlib.metadata import version
from typing import Any

import torch

from devproc.survey import Row, survey
from tests.repository import ROOT
from tests.zoo.models import MODELS

RESULT = ROOT / "docs" / "models.json"
PACKAGES = ("devproc", "torch", "transformers")


def load() -> dict[str, dict[str, Any]]:
    """The rows of the committed file, by model."""
    return json.loads(RESULT.read_text()) if RESULT.exists() else {}


def save(rows: dict[str, dict[str, Any]]) -> None:
    """Writes the rows of the models that the zoo has, in its order, a line for each."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(rows[name])}"
        for name in MODELS
        if name in rows
    ]
    RESULT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def entry(row: Row) -> dict[str, Any]:
    """What the file keeps of one model."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return {
        "family": MODELS[row.name].__module__.rpartition(".")[2],
        "passed": row.passed,
        "obstacle": row.obstacle,
        "error": row.error,
        "torch_error": row.torch_error,
        "measured": f"{datetime.date.today()}, {versions}",
    }


def main() -> None:
    """Measures the models chosen by the command line."""
    parser = argparse.ArgumentParser(prog="tests.zoo", description=__doc__)
    parser.add_argument("names", nargs="*", help="some of `tests.zoo.models.MODELS`")
    parser.add_argument("--all", action="store_true", help="also those in the file")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(MODELS)):
        parser.error(f"the zoo has no model {', '.join(unknown)}")
    torch.set_num_threads(1)
    rows = load()
    wanted = options.names or [n for n in MODELS if options.all or n not in rows]

    def keep(row: Row) -> None:
        print(row.name, *row.passed, row.obstacle, flush=True)
        rows[row.name] = entry(row)
        save(rows)

    survey({name: MODELS[name] for name in wanted}, on_row=keep, threads=1)
    save(rows)


if __name__ == "__main__":
    main()
