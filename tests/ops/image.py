"""Claims of the family `image`: interpolation in all modes."""

from tests.ops.shape import WIDTHS

HALF = ("float32", "bfloat16")
WIDE = ("float32", "float64")
INTERPOLATE = "nn.functional.interpolate"

CLAIMED = {
    f"{INTERPOLATE}.nearest": WIDTHS,
    f"{INTERPOLATE}.nearest-exact": WIDTHS,
    "nn.functional.upsample_nearest": WIDTHS,
    f"{INTERPOLATE}.bilinear": HALF,
    "nn.functional.upsample_bilinear": HALF,
    # PyTorch rounds half precision between the axes; here it is rounded once.
    f"{INTERPOLATE}.bicubic": WIDE,
    f"{INTERPOLATE}.linear": WIDE,
    f"{INTERPOLATE}.trilinear": WIDE,
}

INTERPRETED = (f"{INTERPOLATE}.nearest", f"{INTERPOLATE}.bilinear")
