"""All checks: the tables of the families."""

from __future__ import annotations

from devproc.exactness.bound import Key
from tests.exactness import (
    arithmetic,
    audio,
    axes,
    boxes,
    color,
    crop,
    detection,
    generation,
    geometry,
    masks,
    mel,
    scores,
    spaces,
    spectra,
    text,
    warp,
    yolo,
)
from tests.exactness.measuring import Check

CHECKS: dict[Key, Check] = {
    **axes.CHECKS,
    **arithmetic.CHECKS,
    **geometry.CHECKS,
    **crop.CHECKS,
    **warp.CHECKS,
    **color.CHECKS,
    **spaces.CHECKS,
    **scores.CHECKS,
    **boxes.CHECKS,
    **yolo.CHECKS,
    **detection.CHECKS,
    **masks.CHECKS,
    **audio.CHECKS,
    **spectra.CHECKS,
    **mel.CHECKS,
    **text.CHECKS,
    **generation.CHECKS,
}
"""Step, form and dtype -> what measures it."""
