"""Bounds of the family `color`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("normalize", "", "", dtype): exact(
        "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"
    )
    for dtype in ("uint8", "float32")
}
"""Step, form and dtype -> bound."""
