"""Bounds of the family `color`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact, relative

_GAMMA = "torchvision.transforms.v2.functional.adjust_gamma"

GAMMA = {"float64": 5e-16, "float32": 2.5e-7, "float16": 1e-3, "bfloat16": 8e-3}
"""dtype -> the largest relative distance."""

ROUNDINGS = {
    "truncate": "torch.trunc",
    "nearest_even": "torch.round",
    "half_up": "math.floor(fractions.Fraction(x) + 1/2)",
    "floor": "torch.floor",
    "ceil": "torch.ceil",
}
"""Rounding of a cast -> the function that it equals."""

BOUNDS: Mapping[Key, Bound] = {
    **{
        Key("cast", "", rounding, ANY): exact(
            f"{reference}, numpy.clip where it saturates, torch.Tensor.to"
        )
        for rounding, reference in ROUNDINGS.items()
    },
    **{
        Key("normalize", "", "", dtype): exact(
            "torchvision's ToTensor and Normalize: torch.div, torch.sub, torch.div"
        )
        for dtype in ("uint8", "uint16", "float32")
    },
    Key("scale", "", "", ANY): exact(
        "torch.mul, torch.add of tensors of the result's dtype"
    ),
    Key("clamp", "", "", ANY): exact("torch.clamp"),
    **{Key("gamma", "", "", dtype): exact(_GAMMA) for dtype in ("uint8", "uint16")},
    **{
        Key("gamma", "", "", dtype): relative(limit, _GAMMA)
        for dtype, limit in GAMMA.items()
    },
}
"""Step, form and dtype -> bound."""
