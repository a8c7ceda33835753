"""Bounds of resizing, of the family `geometry`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.dialects.nn.resampling.filters import LIKE_MODES, PLAIN
from devproc.exactness.bound import Bound, Key, exact, relative

_PILLOW = LIKE_MODES["pillow"]
_TORCHVISION = LIKE_MODES["torchvision"]
_OPENCV = ("nearest", "bilinear", "bicubic", "area", "lanczos")
_CV2 = "cv2.resize (OpenCV's own code)"


def _interpolate(mode: str) -> str:
    """PyTorch's function. Antialiasing planes to one column, it repeats their first row."""
    reference = "torch.nn.functional.interpolate"
    if mode.startswith("nearest") or mode.endswith(PLAIN):
        return reference
    return f"{reference}, channels last where the width becomes 1"


def _float_bound(mode: str) -> Bound:
    """PyTorch's float kernels fuse multiplications and additions where a CPU can."""
    if mode.startswith("nearest"):
        return exact(_interpolate(mode))
    return relative(1e-4 if mode.endswith(PLAIN) else 3e-6, _interpolate(mode))


BOUNDS: Mapping[Key, Bound] = {
    **{
        Key("resize", "pillow", mode, dtype): exact("PIL.Image.Image.resize")
        for mode in _PILLOW
        for dtype in ("uint8", "float32")
    },
    **{
        Key("resize", "torchvision", mode, "uint8"): exact(_interpolate(mode))
        for mode in _TORCHVISION
    },
    **{
        Key("resize", "torchvision", mode, "float32"): _float_bound(mode)
        for mode in _TORCHVISION
    },
    **{Key("resize", "opencv", mode, "uint8"): exact(_CV2) for mode in _OPENCV},
    **{
        Key("resize", "opencv", mode, "float32"): (
            exact(_CV2) if mode == "nearest" else relative(1e-6, _CV2)
        )
        for mode in _OPENCV
    },
}
"""Step, form and dtype -> bound."""
