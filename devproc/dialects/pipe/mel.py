"""Steps on sound in bands of the mel scale."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn.base import (
    Properties,
    describe,
    floats,
    int_attr,
    positive,
    require,
    text_of,
)
from devproc.dialects.nn.signal import MEL_LIKES, DctBasisOp, MelFiltersOp
from devproc.dialects.pipe.audio import require_wave
from devproc.dialects.pipe.base.step import UnaryStep
from devproc.dialects.pipe.spectra import centered_frames, require_spectrum
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor

PAD_OF = {"librosa": "constant", "torchaudio": "reflect", "whisper": "reflect"}
"""Library -> the `pad_mode` of its mel spectrogram."""


def mel_properties(bins: int, properties: Properties) -> Properties:
    """The properties of the `nn.mel_filters` of a step."""
    names = ("sample_rate", "range", "like")
    return {
        "count": properties["n_mels"],
        "bins": int_attr(bins),
        **{name: properties[name] for name in names},
    }


@op_definition
class MelOp(UnaryStep):
    """A spectrogram `(..., bins, frames)` of an even n_fft in the bands of a mel scale,
    `(..., n_mels, frames)`, with the named library's filters (see `nn.mel_filters`).

    ```mlir
    %r = pipe.mel %x n_mels 3 sample_rate 16000 range [0.0, 8000.0] like "librosa"
       : (tensor<9x6xf32>) -> tensor<3x6xf32>
    ```
    """

    name = "pipe.mel"

    n_mels = prop_def(IntegerAttr)
    sample_rate = prop_def(IntegerAttr)
    range = prop_def(DenseArrayBase)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `n_mels` custom<Int>($n_mels)"
        " `sample_rate` custom<Int>($sample_rate) `range` custom<Floats>($range)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = require_spectrum("mel", operands[0], "bins, frames", 2)
        *leading, bins, frames = shape
        (table,) = MelFiltersOp.infer([], mel_properties(bins, properties))
        return [tensor("float32", [*leading, table.get_shape()[0], frames])]


@op_definition
class LogMelOp(UnaryStep):
    """A wave `(time)` or `(batch, time)` as the log-mel spectrogram `(..., n_mels,
    frames)` of the named library, with a periodic Hann window of n_fft samples.

    - whisper: `WhisperFeatureExtractor`; the wave is truncated or padded with zeros to
      `length` samples, log10 of at least 1e-10, each wave clamped to at most 8 below
      its largest value, (y + 4) / 4.
    - librosa: `melspectrogram` and `power_to_db`; decibels of at least 1e-10, clamped
      to at most `top_db` (none or one number) below the largest of the whole batch.
    - torchaudio: `MelSpectrogram` and `AmplitudeToDB`, as those of librosa, but with
      reflection padding.

    ```mlir
    %r = pipe.log_mel %x n_fft 8 hop 4 n_mels 3 sample_rate 16000 range [0.0, 8000.0]
         length 20 top_db [80.0] like "librosa" : (tensor<20xf32>) -> tensor<3x6xf32>
    ```
    """

    name = "pipe.log_mel"

    n_fft = prop_def(IntegerAttr)
    hop = prop_def(IntegerAttr)
    n_mels = prop_def(IntegerAttr)
    sample_rate = prop_def(IntegerAttr)
    range = prop_def(DenseArrayBase)
    length = prop_def(IntegerAttr)
    top_db = prop_def(DenseArrayBase)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `n_fft` custom<Int>($n_fft) `hop` custom<Int>($hop)"
        " `n_mels` custom<Int>($n_mels) `sample_rate` custom<Int>($sample_rate)"
        " `range` custom<Floats>($range) `length` custom<Int>($length)"
        " `top_db` custom<Floats>($top_db) `like` custom<Text>($like) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        *leading, time = require_wave("log_mel", operands[0])
        require(
            len(leading) <= 1,
            f"log_mel takes (time) or (batch, time), got {describe(operands[0])}",
        )
        like = text_of("reference", properties["like"], MEL_LIKES)
        names = ("n_fft", "hop", "length")
        n_fft, hop, length = (positive(name, properties[name]) for name in names)
        require(n_fft % 2 == 0, f"log_mel takes an even n_fft, got {n_fft}")
        top_db = floats(properties["top_db"])
        require(
            len(top_db) <= (like != "whisper") and all(v > 0 for v in top_db),
            "top_db is one positive number or none, and none for whisper",
        )
        require(
            like == "whisper" or length == time,
            f'like "{like}" takes the wave as it is, {time} samples, not {length}',
        )
        (table,) = MelFiltersOp.infer([], mel_properties(n_fft // 2 + 1, properties))
        frames = centered_frames(length, n_fft, hop, PAD_OF[like])
        # Whisper drops the last frame.
        frames -= like == "whisper"
        return [tensor("float32", [*leading, table.get_shape()[0], frames])]


@op_definition
class MfccOp(UnaryStep):
    """Mel-frequency cepstral coefficients of a log-mel spectrogram `(..., n_mels,
    frames)`: the first `count` of its orthonormal cosine transform, `(..., count,
    frames)`, as librosa and torchaudio compute them.

    `%r = pipe.mfcc %x 2 : (tensor<3x6xf32>) -> tensor<2x6xf32>`
    """

    name = "pipe.mfcc"

    count = prop_def(IntegerAttr)

    assembly_format = (
        "$operand custom<Int>($count) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = require_spectrum("mfcc", operands[0], "n_mels, frames", 2)
        *leading, size, frames = shape
        table = {"count": properties["count"], "size": int_attr(size)}
        (basis,) = DctBasisOp.infer([], table)
        return [tensor("float32", [*leading, basis.get_shape()[0], frames])]


OPS: Sequence[type[IRDLOperation]] = (LogMelOp, MelOp, MfccOp)
