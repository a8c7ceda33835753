"""Bounds of the family `mel`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, relative

_LOG_MEL = {
    "whisper": absolute(5e-4, "transformers.WhisperFeatureExtractor"),
    "librosa": relative(3e-4, "librosa.feature.melspectrogram, librosa.power_to_db"),
    "torchaudio": relative(
        1e-4,
        "torchaudio's MelSpectrogram and AmplitudeToDB(top_db=80): torch.stft, torch.log10",
    ),
}

BOUNDS: Mapping[Key, Bound] = {
    Key("mel", "librosa", "", "float32"): relative(
        1e-6, "librosa.feature.melspectrogram(S=...)"
    ),
    Key("mel", "torchaudio", "", "float32"): relative(
        1e-5, "torchaudio's MelScale: torch.linspace, torch.matmul"
    ),
    Key("mel", "whisper", "", "float32"): relative(
        1e-6, "transformers.audio_utils.mel_filter_bank"
    ),
    **{
        Key("log_mel", like, "", dtype): bound
        for dtype in ("float32", "int16")
        for like, bound in _LOG_MEL.items()
    },
    Key("mfcc", "", "", "float32"): relative(4e-6, "librosa.feature.mfcc(S=...)"),
}
"""Step, form and dtype -> bound."""
