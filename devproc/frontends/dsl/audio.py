"""Steps on sound in time."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, StringAttr, f64

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
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import integer, number, text


@dataclass(frozen=True)
class Tokens:
    """What speech spells: int64 `tokens`, of each row the first `count` and then -1.

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
        """Overlapping frames `(..., frames, size)` of a wave, one every `hop` samples, as
        `torch.Tensor.unfold` cuts them.
        """
        properties = {
            "size": int_attr(integer("frame", "size", size)),
            "hop": int_attr(integer("frame", "hop", hop)),
        }
        return self.step(FrameOp, [x], properties, WAVE)

    def window(self, x: Value, kind: str = "hann", periodic: bool = True) -> Value:
        """Frames `(..., size)` times a window function: hann, hamming, blackman,
        bartlett or rectangular; periodic, as for a spectrum, or symmetric.
        """
        properties = {
            "kind": StringAttr(text("window", "kind", kind)),
            "periodic": int_attr(integer("window", "periodic", periodic)),
        }
        return self.step(WindowOp, [x], properties, "window what frame() gives")

    def normalize_peak(self, x: Value, level: float = 1.0) -> Value:
        """A wave whose largest sample has the magnitude `level`; silence stays silence
        (`librosa.util.normalize`). Each wave of a batch on its own.
        """
        return self._level(NormalizePeakOp, x, level)

    def normalize_rms(self, x: Value, level: float = 0.1) -> Value:
        """A wave whose root mean square is `level`; silence stays silence. Each wave of a
        batch on its own.
        """
        return self._level(NormalizeRmsOp, x, level)

    def resample_audio(
        self, x: Value, from_rate: int, to_rate: int, like: str = "torchaudio"
    ) -> Value:
        """A wave at another sample rate, ceil(time * to / from) samples long
        (`torchaudio.functional.resample` with its default filter).
        """
        step = "resample_audio"
        properties = {
            "source": int_attr(integer(step, "from_rate", from_rate)),
            "target": int_attr(integer(step, "to_rate", to_rate)),
            "like": StringAttr(text(step, "like", like)),
        }
        return self.step(ResampleAudioOp, [x], properties, WAVE)

    def ctc_greedy(self, x: Value, blank: int = 0) -> Tokens:
        """The tokens that scores `(batch, time, classes)` spell: the best class of each
        step, repeats collapsed, blanks dropped. Gives int64 tokens `(batch, time)`,
        filled up with -1, and their count `(batch)`.
        """
        properties = {"blank": int_attr(integer("ctc_greedy", "blank", blank))}
        remedy = "give the scores of a CTC model and the class that means nothing"
        return Tokens(*self.steps(CtcGreedyOp, [x], properties, remedy))

    def _level(self, op: type[LevelOp], x: Value, level: float) -> Value:
        step = op.name.removeprefix("pipe.")
        value = FloatAttr(number(step, "level", level), f64)
        return self.step(op, [x], {"level": value}, WAVE)
