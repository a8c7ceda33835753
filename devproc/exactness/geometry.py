"""Bounds of resizing, of the family `geometry`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.dialects.nn.resampling.filters import LIKE_MODES, PLAIN
from devproc.exactness.bound import Bound, Key, exact, relative

_OPENCV = ("nearest", "bilinear", "bicubic", "area", "lanczos")
_CV2 = "cv2.resize (OpenCV's own code)"


def _interpolate(mode: str) -> str:
    """PyTorch's function, which repeats the first row of planes antialiased to one column."""
    reference = "torch.nn.functional.interpolate"
    if mode.startswith("nearest") or mode.endswith(PLAIN):
        return reference
    return f"{reference}, channels last where the width becomes 1"


def _pillow(mode: str, dtype: str) -> Bound:
    return exact("PIL.Image.Image.resize")


def _torchvision(mode: str, dtype: str) -> Bound:
    """PyTorch's float kernels use fused multiply-adds where the CPU has them."""
    if dtype == "uint8" or mode.startswith("nearest"):
        return exact(_interpolate(mode))
    return relative(1e-4 if mode.endswith(PLAIN) else 3e-6, _interpolate(mode))


def _opencv(mode: str, dtype: str) -> Bound:
    is_exact = dtype == "uint8" or mode == "nearest"
    return exact(_CV2) if is_exact else relative(1e-6, _CV2)


BOUNDS: Mapping[Key, Bound] = {
    Key("resize", like, mode, dtype): bound(mode, dtype)
    for like, modes, bound in (
        (
            "pillow",
            LIKE_MODES["pillow"],
            _pillow,
        ),
        ("torchvision", LIKE_MODES["torchvision"], _torchvision),
        ("opencv", _OPENCV, _opencv),
    )
    for mode in modes
    for dtype in ("uint8", "float32")
}
"""Step, form and dtype -> bound."""
