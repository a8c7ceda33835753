"""Steps on sound in frequency. A complex spectrum is float32 with a last axis of
(real, imaginary), as `torch.view_as_real` gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn.base import (
    Properties,
    describe,
    flag_of,
    positive,
    require,
    text_of,
)
from devproc.dialects.nn.signal import WINDOWS
from devproc.dialects.pipe.audio import frame_count, require_wave
from devproc.dialects.pipe.base.step import UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

PAD_MODES = ("reflect", "constant")
"""Padding at the ends of a wave: reflection, or zeros."""


def require_spectrum(step: str, x: AnyTensor, axes: str, rank: int) -> tuple[int, ...]:
    """The shape of a float32 spectrum that is not empty."""
    shape = x.get_shape()
    require(
        x.element_type == DTYPES["float32"] and len(shape) >= rank and 0 not in shape,
        f"{step} takes float32 (..., {axes}), got {describe(x)}",
    )
    return shape


def require_window(properties: Properties) -> tuple[int, int, int]:
    """n_fft, hop and win_length of a transform."""
    names = ("n_fft", "hop", "win_length")
    n_fft, hop, length = (positive(name, properties[name]) for name in names)
    text_of("window", properties["window"], WINDOWS)
    require(
        length <= n_fft, f"a window of {length} samples is longer than n_fft {n_fft}"
    )
    return n_fft, hop, length


def centered_frames(time: int, n_fft: int, hop: int, mode: str) -> int:
    """The number of frames centred within a wave that is padded at both ends."""
    require(
        mode == "constant" or n_fft // 2 < time,
        f"{time} samples are too few to be mirrored by {n_fft // 2}; a wave must be "
        'longer than half a frame, or pad_mode "constant"',
    )
    return frame_count(time + n_fft // 2 * 2, n_fft, hop)


@op_definition
class StftOp(UnaryStep):
    """Short-time Fourier transform, `(..., time)` to `(..., bins, frames, 2)`, as
    `torch.stft` with a periodic window: with `center 1` frames are centred at their
    time, and the wave is padded by half a frame at both ends.

    ```mlir
    %r = pipe.stft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 pad "reflect"
       : (tensor<20xf32>) -> tensor<5x6x2xf32>
    ```
    """

    name = "pipe.stft"

    n_fft = prop_def(IntegerAttr)
    hop = prop_def(IntegerAttr)
    window = prop_def(StringAttr)
    win_length = prop_def(IntegerAttr)
    center = prop_def(IntegerAttr)
    pad = prop_def(StringAttr)

    assembly_format = (
        "$operand `n_fft` custom<Int>($n_fft) `hop` custom<Int>($hop)"
        " `window` custom<Text>($window) `win_length` custom<Int>($win_length)"
        " `center` custom<Int>($center) `pad` custom<Text>($pad) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        *leading, time = require_wave("stft", operands[0])
        n_fft, hop, _ = require_window(properties)
        mode = text_of("pad_mode", properties["pad"], PAD_MODES)
        if flag_of("center", properties["center"]):
            frames = centered_frames(time, n_fft, hop, mode)
        else:
            frames = frame_count(time, n_fft, hop)
        return [tensor("float32", [*leading, n_fft // 2 + 1, frames, 2])]


@op_definition
class IstftOp(UnaryStep):
    """The wave of a short-time Fourier transform, `(..., bins, frames, 2)` to
    `(..., length)`, as `torch.istft` with a periodic window.

    ```mlir
    %r = pipe.istft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 length 20
       : (tensor<5x6x2xf32>) -> tensor<20xf32>
    ```
    """

    name = "pipe.istft"

    n_fft = prop_def(IntegerAttr)
    hop = prop_def(IntegerAttr)
    window = prop_def(StringAttr)
    win_length = prop_def(IntegerAttr)
    center = prop_def(IntegerAttr)
    length = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `n_fft` custom<Int>($n_fft) `hop` custom<Int>($hop)"
        " `window` custom<Text>($window) `win_length` custom<Int>($win_length)"
        " `center` custom<Int>($center) `length` custom<Int>($length) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = require_spectrum("istft", operands[0], "bins, frames, 2", 3)
        *leading, bins, frames, parts = shape
        n_fft, hop, win_length = require_window(properties)
        require(
            (bins, parts) == (n_fft // 2 + 1, 2),
            f"istft with n_fft {n_fft} takes {n_fft // 2 + 1} bins of 2 numbers, "
            f"got {describe(operands[0])}",
        )
        length = positive("length", properties["length"])
        start = n_fft // 2 if flag_of("center", properties["center"]) else 0
        covered = n_fft + hop * (frames - 1) - start
        require(
            length <= covered, f"{frames} frames give {covered} samples, not {length}"
        )
        kind = cast(StringAttr, properties["window"]).data
        require(
            _covers(kind, n_fft, hop, win_length, frames, start, length),
            f"the windows leave samples out: {kind} of {win_length} every {hop}"
            + ("" if start else "; with center 0 a window that begins at 0 does so"),
        )
        return [tensor("float32", [*leading, length])]


def _covers(
    kind: str, n_fft: int, hop: int, length: int, frames: int, start: int, count: int
) -> bool:
    """Whether each sample is covered by a nonzero value of a window."""
    # Only hann and bartlett have a zero, their first value; blackman nearly so.
    first = (n_fft - length) // 2 + (kind in ("hann", "bartlett", "blackman"))
    end = (n_fft - length) // 2 + length
    last = hop * (frames - 1) + end
    return end - first >= hop and first <= start and start + count <= last


class SpectrumOp(UnaryStep):
    """A step from complex to real numbers."""

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        step = cls.name.removeprefix("pipe.")
        *shape, parts = require_spectrum(step, operands[0], "2", 1)
        require(
            parts == 2, f"{step} takes a last axis of 2, got {describe(operands[0])}"
        )
        return [tensor("float32", shape)]


@op_definition
class MagnitudeOp(SpectrumOp):
    """The absolute value of complex numbers.

    `%r = pipe.magnitude %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>`
    """

    name = "pipe.magnitude"


@op_definition
class PowerOp(SpectrumOp):
    """The squared absolute value of complex numbers.

    `%r = pipe.power %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>`
    """

    name = "pipe.power"


OPS: Sequence[type[IRDLOperation]] = (IstftOp, MagnitudeOp, PowerOp, StftOp)
