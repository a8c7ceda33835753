"""Sound in time: steps as formulas of `nn` ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.nn.reduction import ArgmaxOp
from devproc.dialects.nn.signal import SincFiltersOp, WindowFunctionOp, sinc_reach
from devproc.dialects.pipe import audio
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule

_MOST_PIECES = 16
"""Maximum slices that a frame is concatenated from; shorter hops use a gather."""


_SMALLEST_NORMAL = 2.0**-126
"""The smallest normal float32; `librosa.util.normalize` does not scale peaks below."""


def wave(e: Expressions, value: SSAValue) -> Expression:
    """The samples as float32; PCM is divided by 32768, which is exact."""
    x = e.of(value)
    return x.cast("float32") * (1 / 32768) if x.dtype == "int16" else x


def frames(e: Expressions, x: Expression, size: int, hop: int) -> Expression:
    """Overlapping frames `(..., frames, size)` of a wave `(..., time)`."""
    *leading, time = x.shape
    count, pieces = 1 + (time - size) // hop, -(-size // hop)
    if pieces > _MOST_PIECES:
        places = e.line(count).reshape(count, 1) * hop + e.line(size)
        places = places.reshape(*[1] * len(leading), -1)
        return x.gather(places, -1).reshape(*leading, count, size)
    rows = count - 1 + pieces
    missing = max(rows * hop - time, 0)
    x = x.pad([0] * len(x.shape), [*[0] * len(leading), missing])
    x = x.part(-1, 0, rows * hop).reshape(*leading, rows, hop)
    parts = [x.part(-2, j, count) for j in range(pieces)]
    parts[-1] = parts[-1].part(-1, 0, size - (pieces - 1) * hop)
    return e.concat(parts, -1)


def window_function(
    e: Expressions, kind: str, size: int, periodic: bool = True
) -> Expression:
    """The table of a window function, in float64."""
    properties = {
        "kind": StringAttr(kind),
        "size": int_attr(size),
        "periodic": int_attr(periodic),
    }
    return e.emit(WindowFunctionOp.build_op([], properties))


def _frame(op: audio.FrameOp, e: Expressions) -> Sequence[SSAValue]:
    return [frames(e, wave(e, op.operand), int_of(op.size), int_of(op.hop)).ssa]


def _window(op: audio.WindowOp, e: Expressions) -> Sequence[SSAValue]:
    x = wave(e, op.operand)
    table = window_function(e, op.kind.data, x.shape[-1], bool(int_of(op.periodic)))
    return [(x * table.cast("float32")).ssa]


def _scaled(x: Expression, loudness: Expression, level: float) -> Sequence[SSAValue]:
    """`x * (level / loudness)`; `x` if the loudness is zero or subnormal."""
    e = x.maker
    factor = e.constant(level, "float32") / loudness
    return [(x * e.where(loudness < _SMALLEST_NORMAL, 1.0, factor)).ssa]


def _normalize_peak(op: audio.NormalizePeakOp, e: Expressions) -> Sequence[SSAValue]:
    x = wave(e, op.operand)
    return _scaled(x, x.abs().max(-1, keep=True), op.level.value.data)


def _normalize_rms(op: audio.NormalizeRmsOp, e: Expressions) -> Sequence[SSAValue]:
    x = wave(e, op.operand)
    # Relative to the peak: the square of a faint sample underflows.
    peak = x.abs().max(-1, keep=True)
    near = x / e.where(peak.equal(0.0), 1.0, peak)
    mean = (near * near).sum(-1, keep=True) / x.shape[-1]
    return _scaled(x, mean.sqrt() * peak, op.level.value.data)


def _resample_audio(op: audio.ResampleAudioOp, e: Expressions) -> Sequence[SSAValue]:
    """Each frame of `source` samples, extended by the reach of the filters, yields
    `target` samples: a product with the table of the filters.
    """
    x, (source, target) = wave(e, op.operand), (int_of(op.source), int_of(op.target))
    factor = gcd(source, target)
    source, target = source // factor, target // factor
    if source == target:
        return [x.ssa]
    properties = {"source": int_attr(source), "target": int_attr(target)}
    filters = e.emit(SincFiltersOp.build_op([], properties)).cast("float32")
    reach, leading = sinc_reach(source, target), [0] * (len(x.shape) - 1)
    padded = x.pad([*leading, reach], [*leading, reach + source])
    y = frames(e, padded, filters.shape[0], source).matmul(filters)
    wanted = tensor_of(op.result).get_shape()
    return [y.reshape(*wanted[:-1], -1).part(-1, 0, wanted[-1]).ssa]


def _ctc_greedy(op: audio.CtcGreedyOp, e: Expressions) -> Sequence[SSAValue]:
    """Kept tokens first, in their order: a stable sort of what is kept."""
    blank = int_of(op.blank)
    argmax = {"axis": int_attr(2), "keep": int_attr(0)}
    best = e.emit(ArgmaxOp.build_op([op.operand], argmax))
    batch, time = best.shape
    before = best.part(1, 0, time - 1).pad([0, 1], [0, 0], blank)
    dropped = best.equal(blank) | best.equal(before)
    _, order = dropped.cast("int32").sort()
    count = e.where(dropped, 0, e.constant(1, "int64")).sum(1)
    rows = (e.line(batch) * time).reshape(batch, 1)
    tokens = best.reshape(-1).gather((order + rows).reshape(-1), 0)
    inside = e.line(time) < count.reshape(batch, 1)
    return [e.where(inside, tokens.reshape(batch, time), -1).ssa, count.ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    audio.CtcGreedyOp: _ctc_greedy,
    audio.FrameOp: _frame,
    audio.NormalizePeakOp: _normalize_peak,
    audio.NormalizeRmsOp: _normalize_rms,
    audio.ResampleAudioOp: _resample_audio,
    audio.WindowOp: _window,
}
"""op class -> its lowering."""
