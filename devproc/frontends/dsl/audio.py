"""Steps on sound in time."""

from __future__ import annotations

from dataclasses import dataclass

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.audio import (
    CtcGreedyOp,
    FrameOp,
    LevelOp,
    NormalizePeakOp,
    NormalizeRmsOp,
    ResampleAudioOp,
    WindowOp,
)
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import (
    of_integers,
    of_numbers,
    of_texts,
)
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import integer


@dataclass(frozen=True)
class Tokens:
    """Decoded speech: int64 `tokens`, of which the first `count` of each row are valid; the
    rest is -1.

    Given to `output`, they become one entry: a dict with these names.
    """

    tokens: Value
    count: Value

    @property
    def parts(self) -> dict[str, Value]:
        """The handles by name."""
        return {"tokens": self.tokens, "count": self.count}


WAVE = "a wave is float32 or int16 (PCM), its last axis time"


class AudioSteps(StepBuilder):
    """Steps on sound in time.

    A wave `(..., time)` is float32, or int16, which counts as float32 divided by 32768.
    """

    def frame(self, x: Value, size: int, hop: int) -> Value:
        """Overlapping frames `(..., frames, size)` of a wave, as float32: `size` samples
        each, one every `hop` samples, as by `torch.Tensor.unfold`.
        """
        return self.step(FrameOp, [x], of_integers("frame", size=size, hop=hop), WAVE)

    def window(self, x: Value, kind: str = "hann", periodic: bool = True) -> Value:
        """Frames `(..., size)` times a window function, as float32: hann, hamming, blackman,
        bartlett or rectangular; periodic, as for a spectrum, or symmetric.
        """
        properties = {
            **of_texts("window", kind=kind),
            **of_integers("window", periodic=periodic),
        }
        return self.step(WindowOp, [x], properties, "window what frame() gives")

    def normalize_peak(self, x: Value, level: float = 1.0) -> Value:
        """A wave `(..., time)`, as float32, scaled so that its peak magnitude is `level`;
        silence stays silence (`librosa.util.normalize`). Waves of a batch are scaled
        independently.
        """
        return self._level(NormalizePeakOp, x, level)

    def normalize_rms(self, x: Value, level: float = 0.1) -> Value:
        """A wave `(..., time)`, as float32, scaled so that its root mean square is `level`;
        silence stays silence. Waves of a batch are scaled independently.
        """
        return self._level(NormalizeRmsOp, x, level)

    def resample_audio(
        self, x: Value, from_rate: int, to_rate: int, like: str = "torchaudio"
    ) -> Value:
        """A wave `(..., time)`, as float32, from `from_rate` to `to_rate` Hz:
        ceil(time * to_rate / from_rate) samples (`torchaudio.functional.resample` with its
        default filter).
        """
        step = "resample_audio"
        properties = {
            "source": int_attr(integer(step, "from_rate", from_rate)),
            "target": int_attr(integer(step, "to_rate", to_rate)),
            **of_texts(step, like=like),
        }
        return self.step(ResampleAudioOp, [x], properties, WAVE)

    def ctc_greedy(self, x: Value, blank: int = 0) -> Tokens:
        """Greedy CTC decoding of float scores `(batch, time, classes)`: the best class of
        each step, with repeats collapsed and blanks dropped. Returns tokens `(batch, time)`,
        padded with -1, and their count `(batch)`, both int64.
        """
        properties = of_integers("ctc_greedy", blank=blank)
        remedy = "give the scores of a CTC model and the class that means nothing"
        return Tokens(*self.steps(CtcGreedyOp, [x], properties, remedy))

    def _level(self, op: type[LevelOp], x: Value, level: float) -> Value:
        step = op.name.removeprefix("pipe.")
        return self.step(op, [x], of_numbers(step, level=level), WAVE)
