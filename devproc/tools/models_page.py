"""docs/models.md: the models that the tests compile, and what benchmarks measured of them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

TESTED = """`tests/zoo/test_zoo.py` exports each of these architectures, compiles it for the CPU
and compares the results with PyTorch's and with a run in float64; it fails if one does not
export, compile or match. The weights are random and the sizes small.
"""

MEASURED = """From `benchmarks/RESULTS.md`, dated there. A ratio is our time by that of the best
other engine, below 1 where DevProc is faster. Errors are relative to a run in float64.
"""

SECTIONS = ("Models beside other engines", "Architectures beside other engines")


def models_page(note: str) -> str:
    """docs/models.md."""
    source = (ROOT / "tests" / "zoo" / "models.py").read_text()
    names = re.findall(r"^        (\w+)\.(\w+),$", source, re.MULTILINE)
    parts = ["# Models\n\n", note, "## Tested\n\n", TESTED]
    for family in dict.fromkeys(family for family, _ in names):
        listed = ", ".join(f"`{name}`" for of, name in names if of == family)
        parts.append(f"\n- {family}: {listed}")
    parts.append(f"\n\n## Measured\n\n{MEASURED}")
    parts += [f"\n### {title}\n\n{_section(title)}\n" for title in SECTIONS]
    return "".join(parts)


def _section(title: str) -> str:
    """The text of a section of the results.

    Raises LookupError if the results have no such section.
    """
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text()
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise LookupError(f"benchmarks/RESULTS.md has no section '{title}'")
    return found.group(1).strip()
