"""Steps on sound in time: frames, windows, levels, rates, and the letters of speech.

A wave has any leading axes; the last one is time. int16 samples (PCM) count as float32
divided by 32768.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, gcd

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    flag_of,
    float_of,
    int_of,
    positive,
    require,
    text_of,
)
from devproc.dialects.nn.signal import WINDOWS
from devproc.dialects.pipe.base.layout import with_bound
from devproc.dialects.pipe.base.step import PipeOp, UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, dtype_name, is_float, tensor

RESAMPLE_LIKES = ("torchaudio",)


def require_wave(step: str, x: AnyTensor) -> tuple[int, ...]:
    """The shape of a wave that is not empty."""
    require(
        dtype_name(x.element_type) in ("float32", "int16")
        and len(x.get_shape()) >= 1
        and 0 not in x.get_shape(),
        f"{step} takes a wave (..., time) of float32 or int16, got {describe(x)}",
    )
    return x.get_shape()


def frame_count(time: int, size: int, hop: int) -> int:
    """The number of whole frames of a wave; raises VerifyException for none."""
    require(
        time >= size, f"{time} samples are shorter than one frame of {size} samples"
    )
    return 1 + (time - size) // hop


@op_definition
class FrameOp(UnaryStep):
    """Overlapping frames of a wave, `(..., time)` to `(..., frames, size)`, as
    `torch.Tensor.unfold` does: samples after the last whole frame are dropped.

    `%r = pipe.frame %x size 4 hop 2 : (tensor<9xf32>) -> tensor<3x4xf32>`
    """

    name = "pipe.frame"

    size = prop_def(IntegerAttr)
    hop = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `size` custom<Int>($size) `hop` custom<Int>($hop) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        *leading, time = require_wave("frame", operands[0])
        size, hop = (positive(k, properties[k]) for k in ("size", "hop"))
        return [tensor("float32", [*leading, frame_count(time, size, hop), size])]


@op_definition
class WindowOp(UnaryStep):
    """Frames times a window function over the last axis (see `nn.window_function`).

    `%r = pipe.window %x kind "hann" periodic 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>`
    """

    name = "pipe.window"

    kind = prop_def(StringAttr)
    periodic = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `kind` custom<Text>($kind) `periodic` custom<Int>($periodic)"
        " attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = require_wave("window", operands[0])
        text_of("window", properties["kind"], WINDOWS)
        flag_of("periodic", properties["periodic"])
        return [tensor("float32", shape)]


class LevelOp(UnaryStep):
    """A wave scaled so that a measure of its loudness has a given level."""

    level = prop_def(FloatAttr)

    assembly_format = (
        "$operand `to` $level attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        level = float_of(properties["level"])
        require(0 < level < float("inf"), f"the level must be positive, got {level}")
        step = cls.name.removeprefix("pipe.")
        return [tensor("float32", require_wave(step, operands[0]))]


@op_definition
class NormalizePeakOp(LevelOp):
    """x * (level / max |x|) over time, for each wave; silence is unchanged
    (`librosa.util.normalize`).

    `%r = pipe.normalize_peak %x to 1.0 : f64 : (tensor<9xf32>) -> tensor<9xf32>`
    """

    name = "pipe.normalize_peak"


@op_definition
class NormalizeRmsOp(LevelOp):
    """x * (level / sqrt(mean x^2)) over time, for each wave; silence is unchanged.

    `%r = pipe.normalize_rms %x to 0.1 : f64 : (tensor<9xf32>) -> tensor<9xf32>`
    """

    name = "pipe.normalize_rms"


@op_definition
class ResampleAudioOp(UnaryStep):
    """A wave at another sample rate, as `torchaudio.functional.resample` computes it by
    default: a windowed sinc that reaches 6 zero crossings, 0.99 of the band.

    ```mlir
    %r = pipe.resample_audio %x from 48000 to 32000 like "torchaudio"
       : (tensor<2x9xf32>) -> tensor<2x6xf32>
    ```
    """

    name = "pipe.resample_audio"

    source = prop_def(IntegerAttr)
    target = prop_def(IntegerAttr)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Int>($source) `to` custom<Int>($target)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        *leading, time = require_wave("resample_audio", operands[0])
        text_of("reference", properties["like"], RESAMPLE_LIKES)
        source = positive("from", properties["source"])
        target = positive("to", properties["target"])
        factor = gcd(source, target)
        source, target = source // factor, target // factor
        return [tensor("float32", [*leading, ceil(time * target / source)])]


@op_definition
class CtcGreedyOp(PipeOp):
    """Greedy decoding of connectionist temporal classification: the best class of each
    step, repeats collapsed, blanks dropped.

    `(batch, time, classes)` to tokens `(batch, time)`, of which the first `count`
    `(batch)` are valid and the others -1; both int64.

    ```mlir
    %t, %n = pipe.ctc_greedy %x blank 0
       : (tensor<2x9x5xf32>) -> (tensor<2x9xi64, #pipe.bounded<1>>, tensor<2xi64>)
    ```
    """

    name = "pipe.ctc_greedy"

    operand = operand_def(TensorType)
    blank = prop_def(IntegerAttr)
    tokens = result_def(TensorType)
    count = result_def(TensorType)

    assembly_format = (
        "$operand `blank` custom<Int>($blank) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, blank = operands[0], int_of(properties["blank"])
        shape = x.get_shape()
        require(
            is_float(x.element_type) and len(shape) == 3 and 0 not in shape,
            "ctc_greedy takes floating-point scores (batch, time, classes), "
            f"got {describe(x)}",
        )
        require(
            0 <= blank < shape[2], f"blank {blank} is none of the {shape[2]} classes"
        )
        tokens = with_bound(tensor("int64", shape[:2]), 1)
        return [tokens, tensor("int64", shape[:1])]


OPS: Sequence[type[IRDLOperation]] = (
    CtcGreedyOp,
    FrameOp,
    NormalizePeakOp,
    NormalizeRmsOp,
    ResampleAudioOp,
    WindowOp,
)
