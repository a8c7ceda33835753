"""Bounds of the family `masks`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("decode_keypoints", "", "", "float32"): exact(
        "get_max_preds and get_final_preds of HRNet, as a loop in NumPy"
    ),
    Key("palette", "", "", ANY): exact("numpy.ndarray.__getitem__"),
    Key("threshold", "", "", ANY): exact("torch.gt"),
}
"""Step, form and dtype -> bound."""
