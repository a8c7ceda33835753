"""Bounds of the family `audio`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact, relative

_RESAMPLE = "torchaudio.functional.resample: torch.nn.functional.conv1d"

BOUNDS: Mapping[Key, Bound] = {
    Key("ctc_greedy", "", "", ANY): exact("torch.argmax, torch.unique_consecutive"),
    Key("frame", "", "", ANY): exact("torch.Tensor.unfold"),
    Key("window", "", "", ANY): exact("scipy.signal.get_window, torch.mul"),
    **{
        Key(step, like, "", dtype): relative(limit, reference)
        for step, like, limit, reference in (
            ("resample_audio", "torchaudio", 1e-6, _RESAMPLE),
            ("normalize_peak", "", 2e-7, "librosa.util.normalize"),
            ("normalize_rms", "", 4e-7, "librosa.util.normalize(norm=2)"),
        )
        for dtype in ("float32", "int16")
    },
}
"""Step, form and dtype -> bound."""
