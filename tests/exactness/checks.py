"""All checks: the tables of the families."""

from __future__ import annotations

from devproc.exactness.bound import Key
from tests.exactness import (
    audio,
    boxes,
    color,
    crop,
    detection,
    geometry,
    masks,
    scores,
    spaces,
    text,
    warp,
)
from tests.exactness.measuring import Check

CHECKS: dict[Key, Check] = {
    **geometry.CHECKS,
    **crop.CHECKS,
    **warp.CHECKS,
    **color.CHECKS,
    **spaces.CHECKS,
    **scores.CHECKS,
    **boxes.CHECKS,
    **detection.CHECKS,
    **masks.CHECKS,
    **audio.CHECKS,
    **text.CHECKS,
}
"""Step, form and dtype -> what measures it."""
