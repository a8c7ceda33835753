"""The stages as one table: `devproc-opt --list-stages`, the README, the notebooks."""

from __future__ import annotations

from argparse import Action, ArgumentParser
from collections.abc import Sequence
from typing import Any

from devproc import plugins
from devproc.stages import STAGES, Stage


def stage_table(stages: Sequence[Stage] = STAGES) -> str:
    """A markdown table of the stages, readable on a terminal as it stands."""
    rows = [("stage", "what it is", "passes", "dialects after it")]
    rows += [
        (
            stage.name,
            stage.why,
            ", ".join(stage.passes) or "(verify only)",
            " ".join(sorted({"builtin", *stage.legal_after})),
        )
        for stage in stages
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


class ListStages(Action):
    """Print the stages, with the passes of other packages, and leave, as `--help` does."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        print(stage_table(plugins.stages()))
        parser.exit()
