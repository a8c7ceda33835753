"""The detections of a detector, as a group of handles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devproc.frontends.dsl.values.value import Value


@dataclass(frozen=True)
class Detections:
    """Rows of boxes, scores and classes, of which the first `count` (int64) are valid.

    `boxes` are float32 `(..., n, 4)`, each (x1, y1, x2, y2); `scores` are float32 and
    `classes` int64 `(..., n)`. Past the count, boxes and scores are 0 and classes -1. `rows`
    (int64) are the source rows in the operands of the step, for steps that report them.
    Given to `output`, detections become one entry: a dict with these names.
    """

    boxes: Value
    scores: Value
    classes: Value
    count: Value
    rows: Value | None = None

    @property
    def parts(self) -> dict[str, Value]:
        """The handles by name."""
        named = {
            "boxes": self.boxes,
            "scores": self.scores,
            "classes": self.classes,
            "rows": self.rows,
            "count": self.count,
        }
        return {name: value for name, value in named.items() if value is not None}
