"""Bounds of the family `color`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact, relative

_GAMMA = "torchvision.transforms.v2.functional.adjust_gamma"

ROUNDINGS = {
    "truncate": "torch.trunc",
    "nearest_even": "torch.round",
    "half_up": "math.floor(fractions.Fraction(x) + 1/2)",
    "floor": "torch.floor",
    "ceil": "torch.ceil",
}
"""Rounding of a cast -> what it equals."""

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
    Key("gamma", "", "", "uint8"): exact(_GAMMA),
    Key("gamma", "", "", "uint16"): exact(_GAMMA),
    Key("gamma", "", "", "float64"): relative(5e-16, _GAMMA),
    Key("gamma", "", "", "float32"): relative(2.5e-7, _GAMMA),
    Key("gamma", "", "", "float16"): relative(1e-3, _GAMMA),
    Key("gamma", "", "", "bfloat16"): relative(8e-3, _GAMMA),
}
"""Step, form and dtype -> bound."""
