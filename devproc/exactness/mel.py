"""Bounds of the family `mel`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, relative

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
        key: bound
        for dtype in ("float32", "int16")
        for key, bound in (
            (
                Key("log_mel", "whisper", "", dtype),
                absolute(5e-4, "transformers.WhisperFeatureExtractor"),
            ),
            (
                Key("log_mel", "librosa", "", dtype),
                relative(3e-4, "librosa.feature.melspectrogram, librosa.power_to_db"),
            ),
            (
                Key("log_mel", "torchaudio", "", dtype),
                relative(
                    1e-4,
                    "torchaudio's MelSpectrogram and AmplitudeToDB(top_db=80):"
                    " torch.stft, torch.log10",
                ),
            ),
        )
    },
    Key("mfcc", "", "", "float32"): relative(4e-6, "librosa.feature.mfcc(S=...)"),
}
"""Step, form and dtype -> bound."""
