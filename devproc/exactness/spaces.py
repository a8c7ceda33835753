"""Bounds of the family `spaces`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, exact, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("color", "opencv", "", "uint8"): exact("cv2.cvtColor"),
    Key("color", "opencv", "", "uint16"): exact("cv2.cvtColor"),
    Key("color", "opencv", "", "float32"): relative(5e-7, "cv2.cvtColor"),
    Key("color", "pillow", "", "uint8"): exact("PIL.Image.Image.convert"),
    Key("yuv", "opencv", "", "uint8"): exact("cv2.cvtColor"),
    Key("yuv", "itu", "", "uint8"): absolute(
        1.0, "the formula of ITU-R BT.601 and BT.709 in float64, rounded"
    ),
}
"""Step, form and dtype -> bound."""
