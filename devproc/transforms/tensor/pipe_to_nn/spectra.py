"""Sound in frequency: a Fourier transform is a product of frames and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.nn.signal import DftBasisOp
from devproc.dialects.pipe import spectra
from devproc.ir.types import tensor_of
from devproc.transforms.tensor.pipe_to_nn.audio import frames, wave, window_function
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule

_SMALLEST_HALF = 64
"""Samples below which a radix-2 step does not pay for its pass over the data."""


def dft_basis(e: Expressions, part: str, size: int) -> Expression:
    """The table of cosines or sines, (size, size / 2 + 1) in float64."""
    properties = {"part": StringAttr(part), "size": int_attr(size)}
    return e.emit(DftBasisOp.build_op([], properties))


def padded(x: Expression, low: int, high: int, mode: str) -> Expression:
    """A wave padded at both ends, by reflection or with zeros."""
    if mode == "constant":
        none = [0] * (len(x.shape) - 1)
        return x.pad([*none, low], [*none, high])
    time = x.shape[-1]
    parts = [
        *([x.part(-1, low, low, -1)] if low else []),
        x,
        *([x.part(-1, time - 2, high, -1)] if high else []),
    ]
    return x.maker.concat(parts, -1)


def centered_window(e: Expressions, kind: str, length: int, n_fft: int) -> Expression:
    """A window function in the middle of n_fft zeros, in float64."""
    left = (n_fft - length) // 2
    table = window_function(e, kind, length)
    return table.pad([left], [n_fft - length - left])


def _signed_basis(e: Expressions, size: int, rows: int, first: int) -> Expression:
    """Columns (cos | -sin) of the bins `first`, `first + 1 + first`, ..., of some rows."""
    step = 1 + first
    tables: list[Expression] = []
    for part in ("cos", "sin"):
        table = dft_basis(e, part, size).part(0, 0, rows)
        bins = table.shape[1]
        tables.append(table.part(1, first, -(-(bins - first) // step), step))
    return e.concat([tables[0], e.constant(0.0, "float64") - tables[1]], 1)


def power_spectrum(
    e: Expressions, x: Expression, window: Expression
) -> list[tuple[Expression, int, int]]:
    """Squared magnitudes of the transforms of frames, in parts (values, first bin, step
    from bin to bin).

    Radix 2, as far as it pays: with s and d the sum and the difference of both halves of
    a frame, the even bins are those of the shorter transform of s, and the odd ones
    depend on d only; both have half of the samples.
    """
    size, step = x.shape[-1], 1
    x = x * window.cast("float32")
    parts: list[tuple[Expression, int, int]] = []
    while size % 4 == 0 and size // 2 >= _SMALLEST_HALF:
        low, high = (x.part(-1, start, size // 2) for start in (0, size // 2))
        odd = _signed_basis(e, size, size // 2, 1).cast("float32")
        parts.append((_power((low - high).matmul(odd)), step, 2 * step))
        x, size, step = low + high, size // 2, 2 * step
    basis = _signed_basis(e, size, size, 0).cast("float32")
    return [*parts, (_power(x.matmul(basis)), 0, step)]


def _power(y: Expression) -> Expression:
    """re^2 + im^2 of (re | im) along the last axis."""
    bins = y.shape[-1] // 2
    real, imaginary = y.part(-1, 0, bins), y.part(-1, bins, bins)
    return real * real + imaginary * imaginary


def _stft(op: spectra.StftOp, e: Expressions) -> Sequence[SSAValue]:
    x, n_fft = wave(e, op.operand), int_of(op.n_fft)
    if int_of(op.center):
        x = padded(x, n_fft // 2, n_fft // 2, op.pad.data)
    window = centered_window(e, op.window.data, int_of(op.win_length), n_fft)
    basis = _signed_basis(e, n_fft, n_fft, 0) * window.reshape(-1, 1)
    y = frames(e, x, n_fft, int_of(op.hop)).matmul(basis.cast("float32"))
    *leading, count, both = y.shape
    rank = len(leading)
    y = y.reshape(*leading, count, 2, both // 2)
    return [y.transpose(*range(rank), rank + 2, rank, rank + 1).ssa]


def _inverse_bases(e: Expressions, n_fft: int) -> tuple[Expression, Expression]:
    """The matrix from the real or imaginary part of each bin to the samples, (bins,
    n_fft) in float64: a bin includes its mirror image, if that is another bin.
    """
    inner = (n_fft - 1) // 2
    twice = e.constant(2.0 / n_fft, "float64", []).reshape(1, 1).expand(1, inner)
    once = e.constant(1.0 / n_fft, "float64", []).reshape(1, 1)
    weights = [once, twice, *([once] if n_fft % 2 == 0 else [])]
    weight = e.concat([w for w in weights if w.shape[1]], 1)
    real = (dft_basis(e, "cos", n_fft) * weight).transpose(1, 0)
    imaginary = (dft_basis(e, "sin", n_fft) * weight).transpose(1, 0)
    return real, imaginary * -1.0


def _overlap_add(x: Expression, hop: int) -> Expression:
    """Overlap-add of frames `(..., frames, size)` to `(..., time)`."""
    *leading, count, size = x.shape
    pieces, none = -(-size // hop), [0] * len(leading)
    x = x.pad([*none, 0, 0], [*none, 0, pieces * hop - size])
    total = None
    for j in range(pieces):
        piece = x.part(-1, j * hop, hop)
        moved = piece.pad([*none, j, 0], [*none, pieces - 1 - j, 0])
        total = moved if total is None else total + moved
    assert total is not None
    return total.reshape(*leading, (count + pieces - 1) * hop)


def _istft(op: spectra.IstftOp, e: Expressions) -> Sequence[SSAValue]:
    x, n_fft, hop = e.of(op.operand), int_of(op.n_fft), int_of(op.hop)
    *leading, bins, count, _ = x.shape
    rank = len(leading)
    x = x.transpose(*range(rank), rank + 1, rank, rank + 2)
    window = centered_window(e, op.window.data, int_of(op.win_length), n_fft)
    # Real and imaginary part separately: each sum is half as long and more precise.
    real, imaginary = (
        x.part(-1, i, 1)
        .reshape(*leading, count, bins)
        .matmul((basis * window).cast("float32"))
        for i, basis in enumerate(_inverse_bases(e, n_fft))
    )
    squares = (window * window).reshape(1, n_fft).expand(count, n_fft)
    start, length = n_fft // 2 if int_of(op.center) else 0, int_of(op.length)
    y, envelope = (
        _overlap_add(v, hop).part(-1, start, length)
        for v in (real + imaginary, squares)
    )
    return [(y / envelope.cast("float32")).ssa]


def _magnitude(op: spectra.MagnitudeOp, e: Expressions) -> Sequence[SSAValue]:
    """Relative to the larger part, so that no square overflows or vanishes."""
    x = e.of(op.operand).abs()
    real, imaginary = (x.part(-1, i, 1).reshape(*x.shape[:-1]) for i in range(2))
    larger, smaller = e.maximum(real, imaginary), e.minimum(real, imaginary)
    ratio = smaller / e.where(larger.equal(0.0), 1.0, larger)
    root = larger * (ratio * ratio + 1.0).sqrt()
    # As in `hypot`, an infinite part takes precedence over NaN.
    infinite = real.equal(float("inf")) | imaginary.equal(float("inf"))
    return [e.where(infinite, float("inf"), root).ssa]


def _power_of(op: spectra.PowerOp, e: Expressions) -> Sequence[SSAValue]:
    x = e.of(op.operand)
    shape = tensor_of(op.result).get_shape()
    squares = x * x
    real, imaginary = (squares.part(-1, i, 1).reshape(*shape) for i in range(2))
    return [(real + imaginary).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    spectra.IstftOp: _istft,
    spectra.MagnitudeOp: _magnitude,
    spectra.PowerOp: _power_of,
    spectra.StftOp: _stft,
}
"""op class -> its lowering."""
