"""The stages as one table: `devproc-opt --list-stages`, the docs, the notebooks."""

from __future__ import annotations

from argparse import Action, ArgumentParser
from collections.abc import Sequence
from typing import Any

from devproc import plugins
from devproc.backend.stage import Stage
from devproc.stages import STAGES


def stage_table(stages: Sequence[Stage] = STAGES) -> str:
    """A markdown table of the stages, which is also readable on a terminal."""
    rows = [("stage", "what it is", "passes", "dialects after it")]
    for stage in stages:
        passes = ", ".join(stage.passes) or "(verify only)"
        rows.append((stage.name, stage.why, passes, _legal(stage)))
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _legal(stage: Stage) -> str:
    """The legal dialects after a stage, and those in kernels of a device."""
    parts = [" ".join(sorted({"builtin", *stage.legal_after}))]
    for device, legal in stage.legal_of.items():
        parts.append(f"in {device} kernels {' '.join(sorted(legal))}")
    return "; ".join(parts)


class ListStages(Action):
    """Prints the stages, with the passes of plugins, and exits, as `--help` does."""

    def __call__(self, parser: ArgumentParser, *_: Any) -> None:
        print(stage_table(plugins.stages()))
        parser.exit()
