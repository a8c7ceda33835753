"""Outputs as printed by `devproc run`: arrays, best scores, names of labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from devproc.errors import InputError

ROWS = 8
"""Most rows of an output whose best scores are listed."""


def read_labels(path: Path) -> list[str]:
    """Label names in order: one per line, or a JSON list or dict by number."""
    try:
        text = path.read_text("utf-8")
        if path.suffix.lower() != ".json":
            return text.splitlines()
        return _from_json(json.loads(text))
    except (OSError, ValueError) as error:
        raise InputError(f"--labels: cannot read {path}: {error}") from error


def _from_json(found: object) -> list[str]:
    """`["cat", ...]`, or `{"0": "cat", ...}` with all numbers; else ValueError."""
    if isinstance(found, dict):
        entries = cast(dict[str, object], found)
        numbers = sorted(entries, key=int)
        if [int(n) for n in numbers] != list(range(len(numbers))):
            raise ValueError("the numbers of the labels have gaps")
        found = [entries[number] for number in numbers]
    if not isinstance(found, list):
        raise ValueError("it is neither a list nor a dict")
    # ImageNet's well-known file has pairs of an identifier and a name.
    rows = cast(list[object], found)
    return [
        str(cast(list[object], row)[-1] if isinstance(row, list) else row)
        for row in rows
    ]


def describe_outputs(
    named: Mapping[str, Any], labels: Sequence[str] | None, top: int | None
) -> list[str]:
    """Lines for each output; raises InputError if `labels` or `top` fit none."""
    import numpy as np

    lines: list[str] = []
    used = labels is None and top is None
    for name, value in named.items():
        if _has_scores(value, labels, top):
            lines += _best(name, value, labels, 5 if top is None else top)
            used = True
            continue
        lines.append(f"{name} = {np.array2string(value, threshold=32)}")
        if labels is not None and _has_numbers(value, labels):
            found = (labels[int(number)] for number in value.reshape(-1)[:ROWS])
            lines.append(f"  {', '.join(found)}")
            used = True
    if not used:
        wanted = f"scores of {len(labels)} labels" if labels else "scores"
        shapes = "; ".join(f"{n}: {v.dtype} {v.shape}" for n, v in named.items())
        raise InputError(f"no output has {wanted} as its last axis: {shapes}")
    return lines


def _has_scores(value: Any, labels: Sequence[str] | None, top: int | None) -> bool:
    if value.dtype.kind != "f" or not value.ndim or not value.size:
        return False
    count = value.shape[-1]
    return count == len(labels) if labels is not None else top is not None and count > 1


def _has_numbers(value: Any, labels: Sequence[str]) -> bool:
    """Whether all elements of an output are numbers of labels."""
    if value.dtype.kind not in "iu" or not value.size:
        return False
    return bool(value.min() >= 0 and value.max() < len(labels))


def _best(name: str, value: Any, labels: Sequence[str] | None, top: int) -> list[str]:
    """The largest scores of each row, with their numbers and names."""
    import numpy as np

    rows = value.reshape(-1, value.shape[-1])
    lines: list[str] = []
    for number, scores in enumerate(rows[:ROWS]):
        lines.append(f"{name}[{number}]:" if len(rows) > 1 else f"{name}:")
        for place in np.argsort(-scores, kind="stable")[:top]:
            label = f"  {labels[place]}" if labels is not None else ""
            lines.append(f"  {scores[place]:12.6g}  {place:6d}{label}")
    if len(rows) > ROWS:
        lines.append(f"and {len(rows) - ROWS} more rows")
    return lines
