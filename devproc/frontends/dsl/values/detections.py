"""What a detector found: handles that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devproc.frontends.dsl.values.value import Value


@dataclass(frozen=True)
class Detections:
    """Rows of boxes, scores and classes, of which the first `count` hold something.

    Boxes are float32 (x1, y1, x2, y2), scores float32, classes int64. Behind the count
    boxes and scores are 0, classes -1. `rows` are the rows of the step's operands that
    they came from, where the step says so. Given to `output`, they become one entry: a
    dict with these names.
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
