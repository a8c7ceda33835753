"""Bounds of the steps on sound."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, relative

_WHISPER = "transformers.WhisperFeatureExtractor"
_RESAMPLE = "torchaudio.functional.resample: torch.nn.functional.conv1d"

BOUNDS: Mapping[Key, Bound] = {
    Key("stft", "", "", "float32"): relative(1e-6, "torch.stft"),
    Key("istft", "", "", "float32"): relative(3e-6, "torch.istft"),
    Key("mel", "librosa", "", "float32"): relative(
        1e-6, "librosa.feature.melspectrogram(S=...)"
    ),
    Key("mel", "torchaudio", "", "float32"): relative(
        1e-5, "torchaudio's MelScale: torch.linspace, torch.matmul"
    ),
    Key("mel", "whisper", "", "float32"): relative(
        1e-6, "transformers.audio_utils.mel_filter_bank"
    ),
    Key("log_mel", "whisper", "", "float32"): absolute(5e-4, _WHISPER),
    Key("log_mel", "whisper", "", "int16"): absolute(5e-4, _WHISPER),
    Key("log_mel", "librosa", "", "float32"): relative(
        3e-4, "librosa.feature.melspectrogram, librosa.power_to_db"
    ),
    Key("log_mel", "torchaudio", "", "float32"): relative(
        1e-4,
        "torchaudio's MelSpectrogram and AmplitudeToDB(top_db=80): torch.stft, "
        "torch.log10",
    ),
    Key("mfcc", "", "", "float32"): relative(4e-6, "librosa.feature.mfcc(S=...)"),
    Key("resample_audio", "torchaudio", "", "float32"): relative(1e-6, _RESAMPLE),
    Key("resample_audio", "torchaudio", "", "int16"): relative(1e-6, _RESAMPLE),
    Key("normalize_peak", "", "", "float32"): relative(1e-6, "librosa.util.normalize"),
}
"""Step, form and dtype -> bound."""
