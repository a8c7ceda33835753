"""Steps on sound in the frequency domain, and on the mel scale."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, f64
from xdsl.ir import Attribute

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.mel import LogMelOp, MelOp, MfccOp
from devproc.dialects.pipe.spectra import IstftOp, MagnitudeOp, PowerOp, StftOp
from devproc.frontends.dsl.audio import WAVE
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import of_integers, of_texts
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import choice, floats, integer, number, text


class _MelDefaults(NamedTuple):
    """A library's default arguments."""

    sample_rate: int
    n_fft: int
    hop: int
    n_mels: int
    top_db: float | None


MEL_DEFAULTS = {
    "librosa": _MelDefaults(22050, 2048, 512, 128, 80.0),
    "torchaudio": _MelDefaults(16000, 400, 200, 128, None),
    "whisper": _MelDefaults(16000, 400, 160, 80, None),
}
"""Library -> its defaults."""

WHISPER_SECONDS = 30


class SpectraSteps(StepBuilder):
    """Steps on sound in the frequency domain.

    A complex spectrum is float32 `(..., bins, frames, 2)`: real and imaginary part, as
    `torch.view_as_real` gives it.
    """

    def stft(
        self,
        x: Value,
        n_fft: int,
        hop: int | None = None,
        window: str = "hann",
        win_length: int | None = None,
        center: bool = True,
        pad_mode: str = "reflect",
    ) -> Value:
        """The short-time Fourier transform of a wave (`torch.stft` with a periodic
        window): `(..., time)` to float32 `(..., n_fft / 2 + 1, frames, 2)`.

        `n_fft`, `hop` (a quarter of it) and `win_length` (the same as it) are in samples.
        With `center`, frames are centred at their time, and the wave is padded with its
        mirror image ("reflect") or zeros ("constant").
        """
        properties = _transform("stft", n_fft, hop, window, win_length, center)
        properties["pad"] = StringAttr(text("stft", "pad_mode", pad_mode))
        return self.step(StftOp, [x], properties, WAVE)

    def istft(
        self,
        x: Value,
        n_fft: int,
        hop: int | None = None,
        window: str = "hann",
        win_length: int | None = None,
        center: bool = True,
        length: int | None = None,
    ) -> Value:
        """The float32 wave `(..., length)` of a short-time Fourier transform (`torch.istft`
        with a periodic window); by default all samples that the frames cover. `n_fft`,
        `hop`, `win_length` and `length` are in samples, as in `stft`.
        """
        properties = _transform("istft", n_fft, hop, window, win_length, center)
        self.ssa("istft", x)
        if length is None and len(x.shape) >= 3:
            step = integer("istft", "hop", n_fft // 4 if hop is None else hop)
            cut = n_fft // 2 * 2 if center else 0
            length = n_fft + step * (x.shape[-2] - 1) - cut
        properties["length"] = int_attr(integer("istft", "length", length or 0))
        return self.step(IstftOp, [x], properties, "give what stft() gives")

    def magnitude(self, x: Value) -> Value:
        """The absolute value `(...)` of a complex spectrum `(..., 2)`, both float32."""
        return self.step(MagnitudeOp, [x], {}, "give what stft() gives")

    def power(self, x: Value) -> Value:
        """The squared absolute value `(...)` of a complex spectrum `(..., 2)`, both float32."""
        return self.step(PowerOp, [x], {}, "give what stft() gives")

    def mel(
        self,
        x: Value,
        n_mels: int,
        sample_rate: int,
        f_min: float = 0.0,
        f_max: float | None = None,
        like: str = "librosa",
    ) -> Value:
        """A float32 spectrogram `(..., n_fft / 2 + 1, frames)` in bands of the mel scale,
        `(..., n_mels, frames)`, from `f_min` to `f_max` Hz (half of `sample_rate`, in Hz).

        `like`: "librosa" and "whisper" weigh by Slaney's scale and norm, "torchaudio" by
        HTK's without a norm.
        """
        properties = _bands("mel", n_mels, sample_rate, f_min, f_max, like)
        return self.step(MelOp, [x], properties, "give what power() gives")

    def log_mel(
        self,
        x: Value,
        like: str = "whisper",
        *,
        sample_rate: int | None = None,
        n_fft: int | None = None,
        hop: int | None = None,
        n_mels: int | None = None,
        f_min: float = 0.0,
        f_max: float | None = None,
        top_db: float | str | None = "default",
        length: int | None = None,
    ) -> Value:
        """A wave `(time)` or `(batch, time)` as a float32 log-mel spectrogram
        `(..., n_mels, frames)`, with the library's defaults for all that is not given.
        `sample_rate`, `f_min` and `f_max` are in Hz, `n_fft` and `hop` in samples, `top_db`
        in dB.

        "whisper": `WhisperFeatureExtractor` of transformers; cut or padded with zeros to
        `length` samples (30 s). "librosa": `feature.melspectrogram` and `power_to_db`.
        "torchaudio": `MelSpectrogram` and `AmplitudeToDB`.
        """
        step = "log_mel"
        choice(step, "reference", like, MEL_DEFAULTS)
        self.ssa(step, x)
        default = MEL_DEFAULTS[like]
        rate = default.sample_rate if sample_rate is None else sample_rate
        rate = integer(step, "sample_rate", rate)
        if length is None:
            whole = WHISPER_SECONDS * rate
            length = whole if like == "whisper" else (*x.shape, 0)[len(x.shape) - 1]
        bands = default.n_mels if n_mels is None else n_mels
        limit = default.top_db if top_db == "default" else top_db
        limits = [] if limit is None else [limit]
        n_fft = default.n_fft if n_fft is None else n_fft
        hop = default.hop if hop is None else hop
        properties = {
            **of_integers(step, n_fft=n_fft, hop=hop, length=length),
            **_bands(step, bands, rate, f_min, f_max, like),
            "top_db": floats(step, "top_db", limits, len(limits)),
        }
        return self.step(LogMelOp, [x], properties, WAVE)

    def mfcc(self, x: Value, n_mfcc: int = 20) -> Value:
        """Mel-frequency cepstral coefficients `(..., n_mfcc, frames)`, float32, of what
        `log_mel` gives: its orthonormal cosine transform (`librosa.feature.mfcc(S=...)`).
        """
        properties = {"count": int_attr(integer("mfcc", "n_mfcc", n_mfcc))}
        return self.step(MfccOp, [x], properties, "give what log_mel() gives")


def _transform(
    step: str,
    n_fft: int,
    hop: int | None,
    window: str,
    win_length: int | None,
    center: bool,
) -> dict[str, Attribute]:
    n_fft = integer(step, "n_fft", n_fft)
    hop = n_fft // 4 if hop is None else hop
    win_length = n_fft if win_length is None else win_length
    return {
        **of_integers(step, n_fft=n_fft, hop=hop, win_length=win_length, center=center),
        **of_texts(step, window=window),
    }


def _bands(
    step: str,
    n_mels: int,
    sample_rate: int,
    f_min: float,
    f_max: float | None,
    like: str,
) -> dict[str, Attribute]:
    rate = integer(step, "sample_rate", sample_rate)
    low = number(step, "f_min", f_min)
    # torchaudio halves a rate as an integer.
    half = rate // 2 if like == "torchaudio" else rate / 2
    high = number(step, "f_max", half if f_max is None else f_max)
    return {
        **of_integers(step, n_mels=n_mels, sample_rate=rate),
        "range": DenseArrayBase.from_list(f64, [low, high]),
        **of_texts(step, like=like),
    }
