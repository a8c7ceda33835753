"""Bounds of the family `warp`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, exact, relative

_PILLOW = "PIL.Image.Image.transform"
_OPENCV = "cv2.warpAffine"
_TORCHVISION = "torchvision.transforms.v2.functional.affine"
_GRID = "torch.nn.functional.grid_sample"
_ALIGN = "the formula of torchvision.ops.roi_align in float64"
_BOXES = "the formula of tf.image.crop_and_resize in float64"

TIE = 1e-6
"""Distance of a position from the midpoint of two pixels, relative to the longest side, within
which either pixel may be the nearest: OpenCV 5 and torchvision compute positions in float32,
in an order that depends on the CPU."""

_BUT_TIES = f"but for places within {TIE:g} of a side from the middle of two pixels"

BOUNDS: Mapping[Key, Bound] = {
    **{
        Key("affine", "pillow", mode, dtype): exact(_PILLOW)
        for mode in ("nearest", "bilinear")
        for dtype in ("uint8", "float32")
    },
    **{
        Key("affine", like, "nearest", dtype): exact(f"{reference}, {_BUT_TIES}")
        for like, reference in (("opencv", _OPENCV), ("torchvision", _TORCHVISION))
        for dtype in ("uint8", "float32")
    },
    Key("affine", "opencv", "bilinear", "uint8"): absolute(1.0, _OPENCV),
    Key("affine", "opencv", "bilinear", "float32"): relative(1e-5, _OPENCV),
    Key("affine", "torchvision", "bilinear", "uint8"): absolute(1.0, _TORCHVISION),
    Key("affine", "torchvision", "bilinear", "float32"): relative(1e-5, _TORCHVISION),
    Key("grid_sample", "", "bilinear", "float32"): relative(2e-6, _GRID),
    Key("grid_sample", "", "bicubic", "float32"): relative(2e-6, _GRID),
    Key("grid_sample", "", "nearest", "float32"): exact(_GRID),
    **{
        Key("crop_and_resize", like, "", dtype): relative(1e-5, reference)
        for like, reference in (("torchvision", _ALIGN), ("tensorflow", _BOXES))
        for dtype in ("uint8", "float32")
    },
    Key("crop_and_resize", "pytorch", "", "uint8"): relative(
        1e-6, "torch.nn.functional.interpolate(mode='area') in float64"
    ),
}
"""Step, form and dtype -> bound."""
