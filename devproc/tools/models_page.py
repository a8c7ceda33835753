"""docs/models.md: how far each model of the tests comes, and what benchmarks measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devproc.tools import results
from devproc.tools.markdown import markdown_table

DATA = Path(__file__).parents[2] / "docs" / "models.json"
"""The measured rows, which `make models` writes."""

TIMES = {
    "ours, ms": "DevProc, ms",
    "onnxruntime, ms": "ONNX Runtime, ms",
    "to onnxruntime": "ratio",
    "openvino, ms": "OpenVINO, ms",
    "to openvino": "ratio",
}
"""Column of the results -> its name on the page."""

HEADER = (
    "model", "family", "exports", "compiles", "matches", "error", "PyTorch's",
    *TIMES.values(),
)  # fmt: skip

TESTED = """\
Each model of `tests/zoo` was exported, compiled for the CPU and run on one thread
(`make models`). *Matches*: the outputs agree with eager PyTorch. *Error* is the largest
relative error of an output against a run in float64, next to PyTorch's own in float32.
These models have random weights and few, odd-sized layers; `tests/zoo/test_zoo.py` compares
them on more inputs and in each precision. The test suite fails if a model does not match.

The times are those of the same architecture in real widths, a few layers deep, on one thread,
in milliseconds of CPU time: other programs ran on the machine at the same time, so that only
the ratios are comparable. Each *ratio* is the median over rounds of DevProc's time divided by
that of the engine to its left, below 1 where DevProc is faster. The cells of models that were
not timed are empty. `benchmarks/RESULTS.md` has three of them with torch.compile (inductor) too.
"""


def models_page(note: str) -> str:
    """docs/models.md."""
    data: dict[str, dict[str, Any]] = json.loads(DATA.read_text())
    times = {row["model"]: row for row in results.first_table(results.ARCHITECTURES)}
    rows = [_row(name, entry, times.get(name, {})) for name, entry in data.items()]
    measured = sorted({entry["measured"] for entry in data.values()})
    return "\n".join(
        (
            f"# Models\n\n{note}## Tested\n\n{TESTED}",
            f"{markdown_table(HEADER, rows)}\n",
            *(f"- Correctness: {when}." for when in measured),
            f"- Times: {results.origin(results.ARCHITECTURES)}\n",
            f"## Full size\n\n{results.section(results.MODELS)}\n",
        )
    )


def _row(name: str, entry: dict[str, Any], time: dict[str, str]) -> tuple[str, ...]:
    marks = [
        "yes" if step in entry["passed"] else entry["obstacle"] or "no"
        for step in ("exported", "compiled", "matched")
    ]
    errors = [
        "" if entry[key] is None else f"{entry[key]:.1e}"
        for key in ("error", "torch_error")
    ]
    timed = [time.get(key, "") for key in TIMES]
    return (f"`{name}`", entry["family"], *marks, *errors, *timed)
