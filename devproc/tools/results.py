"""What benchmarks/RESULTS.md says, for the pages made of it."""

from __future__ import annotations

import re
from pathlib import Path

from devproc.tools.markdown import read_tables

RESULTS = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"

MODELS = "Models beside other engines"
ARCHITECTURES = "Architectures beside other engines"
PROGRAMS = "Whole programs"
OPERATORS = "Single operators"


def section(title: str) -> str:
    """The text of a section of the results.

    Raises LookupError if the results have no such section.
    """
    pattern = rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, RESULTS.read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise LookupError(f"benchmarks/RESULTS.md has no section '{title}'")
    return found.group(1).strip()


def origin(title: str) -> str:
    """The command, date, machine and versions of a section: its first paragraph."""
    return section(title).partition("\n\n")[0].replace(" `,", "`,")


def first_table(title: str) -> list[dict[str, str]]:
    """The rows of the first table of a section, as header -> cell."""
    return next(read_tables(section(title)))
