"""All checks: the tables of the families."""

from __future__ import annotations

from devproc.exactness.bound import Key
from tests.exactness import audio, color, detection, geometry, scores, text
from tests.exactness.measuring import Check

CHECKS: dict[Key, Check] = {
    **geometry.CHECKS,
    **color.CHECKS,
    **scores.CHECKS,
    **detection.CHECKS,
    **audio.CHECKS,
    **text.CHECKS,
}
"""Step, form and dtype -> what measures it."""
