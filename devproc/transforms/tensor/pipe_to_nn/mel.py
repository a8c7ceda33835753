"""Sound in bands of the mel scale: products with tables of filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import floats, int_attr, int_of
from devproc.dialects.nn.signal import DctBasisOp, MelFiltersOp
from devproc.dialects.pipe import mel
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.audio import frames, wave, window_function
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule
from devproc.transforms.tensor.pipe_to_nn.spectra import padded, power_spectrum


def _filters(op: mel.MelOp | mel.LogMelOp, bins: int, e: Expressions) -> Expression:
    """The filters, (n_mels, bins) in float64."""
    properties = mel.mel_properties(bins, op.properties)
    return e.emit(MelFiltersOp.build_op([], properties))


def _mel(op: mel.MelOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    return [_filters(op, x.shape[-2], e).cast("float32").matmul(x).ssa]


def _mfcc(op: mel.MfccOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    properties = {"count": op.count, "size": int_attr(x.shape[-2])}
    basis = e.emit(DctBasisOp.build_op([], properties)).cast("float32")
    return [basis.matmul(x).ssa]


def _mel_power(op: mel.LogMelOp, e: Expressions) -> Expression:
    """The mel spectrogram with the frames first, `(..., frames, n_mels)`.

    Frames that cover only the zero padding of a short wave are not computed.
    """
    x, n_fft, hop = wave(e, op.operand), int_of(op.n_fft), int_of(op.hop)
    half, length = n_fft // 2, int_of(op.length)
    *leading, _, count = tensor_of(op.result).get_shape()
    time = min(x.shape[-1], length)
    x = x.part(-1, 0, time)
    used, mode = count, mel.PAD_OF[op.like.data]
    if length - time > half:
        used = min(count, -(-(half + time) // hop))
        none = [0] * len(leading)
        x = x.pad([*none, 0], [*none, max(half + 1 - time, 0)])
        x = padded(x, half, 0, mode)
        missing = max((used - 1) * hop + n_fft - x.shape[-1], 0)
        x = padded(x, 0, missing, "constant")
    else:
        x = padded(padded(x, 0, length - time, "constant"), half, half, mode)
    x = x.part(-1, 0, (used - 1) * hop + n_fft)
    window = window_function(e, "hann", n_fft)
    filters = _filters(op, half + 1, e).transpose(1, 0)
    total = None
    for power, first, step in power_spectrum(e, frames(e, x, n_fft, hop), window):
        part = filters.part(0, first, power.shape[-1], step).cast("float32")
        product = power.matmul(part)
        total = product if total is None else total + product
    assert total is not None
    zeros = [0] * len(total.shape)
    return total.pad(zeros, [*zeros[:-2], count - used, 0])


def _log_mel(op: mel.LogMelOp, e: Expressions) -> Sequence[SSAValue]:
    y = e.maximum(_mel_power(op, e), 1e-10).log10()
    rank = len(y.shape)
    y = y.transpose(*range(rank - 2), rank - 1, rank - 2)
    if op.like.data == "whisper":
        leading = y.shape[:-2]
        largest = y.reshape(*leading, -1).max(-1).reshape(*leading, 1, 1)
        return [((e.maximum(y, largest - 8.0) + 4.0) / 4.0).ssa]
    y = y * 10.0
    top_db = floats(op.top_db)
    if top_db:
        largest = y.reshape(-1).max(0)
        y = e.maximum(y, largest - top_db[0])
    return [y.ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    mel.LogMelOp: _log_mel,
    mel.MelOp: _mel,
    mel.MfccOp: _mfcc,
}
"""op class -> its lowering."""
