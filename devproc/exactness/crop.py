"""Bounds of the family `crop`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness import geometry
from devproc.exactness.bound import ANY, Bound, Key, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("crop", "", "", ANY): exact("numpy slicing"),
    Key("center_crop", "", "", ANY): exact(
        "torchvision.transforms.v2.functional.center_crop"
    ),
    Key("flip", "", "", ANY): exact("numpy.flip"),
    Key("rotate", "", "", ANY): exact("numpy.rot90"),
    **{
        Key("pad", "", mode, ANY): exact("numpy.pad")
        for mode in ("constant", "reflect", "edge")
    },
    **{
        key._replace(step="letterbox"): Bound(
            bound.measure,
            bound.limit,
            f"Ultralytics' LetterBox: {bound.reference}, numpy.pad",
        )
        for key, bound in geometry.BOUNDS.items()
    },
}
"""Step, form and dtype -> bound."""
