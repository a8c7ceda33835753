"""Bounds of the family `color`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact, relative

_GAMMA = "torchvision.transforms.v2.functional.adjust_gamma"

BOUNDS: Mapping[Key, Bound] = {
    **{
        Key("normalize", "", "", dtype): exact(
            "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"
        )
        for dtype in ("uint8", "float32")
    },
    **{
        Key("scale", "", "", dtype): exact("torch.mul, torch.add")
        for dtype in ("uint8", "uint16", "float32")
    },
    **{
        Key("clamp", "", "", dtype): exact("torch.clamp")
        for dtype in ("uint8", "float32")
    },
    Key("gamma", "", "", "uint8"): exact(_GAMMA),
    Key("gamma", "", "", "uint16"): exact(_GAMMA),
    Key("gamma", "", "", "float32"): relative(1e-6, _GAMMA),
}
"""Step, form and dtype -> bound."""
