"""Claims of the family `image`: interpolation in all modes."""

from tests.ops.harness import FLOATS
from tests.ops.shape import WIDTHS

PIXELS = (*FLOATS, "uint8")
INTERPOLATE = "nn.functional.interpolate"

CLAIMED = {
    f"{INTERPOLATE}.nearest": WIDTHS,
    f"{INTERPOLATE}.nearest-exact": WIDTHS,
    "nn.functional.upsample_nearest": WIDTHS,
    f"{INTERPOLATE}.bilinear": PIXELS,
    "nn.functional.upsample_bilinear": PIXELS,
    f"{INTERPOLATE}.bicubic": PIXELS,
    f"{INTERPOLATE}.linear": FLOATS,
    f"{INTERPOLATE}.trilinear": FLOATS,
    "_upsample_bilinear2d_aa": PIXELS,
}

INTERPRETED = (f"{INTERPOLATE}.nearest", f"{INTERPOLATE}.bilinear")
