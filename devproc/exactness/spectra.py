"""Bounds of the family `spectra`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact, relative

BOUNDS: Mapping[Key, Bound] = {
    **{
        Key("stft", "", "", dtype): relative(1e-6, "torch.stft")
        for dtype in ("float32", "int16")
    },
    Key("istft", "", "", "float32"): relative(3e-6, "torch.istft"),
    Key("magnitude", "", "", "float32"): relative(2.5e-7, "torch.abs"),
    Key("power", "", "", "float32"): exact("torch.square, torch.sum"),
}
"""Step, form and dtype -> bound."""
