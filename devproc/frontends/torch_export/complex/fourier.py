"""Fourier transforms of a constant length, as products with tables of cosines and sines.

The table of all pairs of samples and frequencies grows with the square of the length n.
A long transform with n = p q is split into one of length p, a rotation of its results,
and one of length q (Cooley and Tukey), recursively.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt, prod, sqrt

import torch
from xdsl.ir import Attribute, SSAValue

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.contraction import MatmulOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, MulOp, SubOp
from devproc.dialects.nn.shape import ExpandOp, PadOp, ReshapeOp, SliceOp, TransposeOp
from devproc.frontends.torch_export.complex.complex_functions import multiply
from devproc.frontends.torch_export.complex.complex_parts import ComplexFormula
from devproc.frontends.torch_export.complex.short_time import SHORT_TIME
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
    axis_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.graph.problems import Refusal
from devproc.frontends.torch_export.places.pieces import joined, part
from devproc.ir.types import tensor_of
from devproc.ir.weights.table import hash_of
from devproc.reference.conversion.arrays import name_of, to_numpy
from devproc.reference.conversion.tensors import constant_to_torch, torch_dtype

SHORT = 64
"""The longest transform that is computed as one product although it could be split."""

LONGEST_PRIME = 2048
"""The longest supported transform that cannot be split: its two tables hold 8 million
numbers."""

BY_ROOT, BY_SIZE = 1, 2
"""PyTorch's norms: divide the result by the root of the size, or by the size."""


class Transform:
    """The transforms of one node, each along the middle of three axes.

    An imaginary part that is zero, or not needed, is None.
    """

    def __init__(
        self, b: GraphBuilder, element: Attribute, forward: bool, scale: float
    ):
        self.b = b
        self.element = element
        self.forward = forward
        self.scale = scale
        """Factor of the first table, which scales the whole result."""

    def constant(self, turns: torch.Tensor, weight: torch.Tensor | float) -> Complex:
        """weight * e^(2 pi i turns), with negative turns for a forward transform."""
        angle = turns * (2 * torch.pi * (-1 if self.forward else 1))
        dtype = torch_dtype(self.element)
        # Exactly 0, and not -0, at multiples of a quarter turn: the first and the middle
        # frequency of real samples are real.
        cosine = torch.where(turns * 4 % 2 == 1, 0, angle.cos())
        sine = torch.where(turns * 2 % 1 == 0, 0, angle.sin())
        parts: list[SSAValue] = []
        for name, wave in (("cos", cosine), ("sin", sine)):
            value = (wave * weight).to(dtype)
            # Equal tables of several transforms share a name, and are stored once.
            digest = hash_of(to_numpy(value), str(name_of(dtype)))
            parts.append(self.b.constant(value, f"constant.fourier.{name}.{digest}"))
        return Complex(*parts)

    def along(
        self, x: Complex, axis: int, outputs: int, wants_imaginary: bool = True
    ) -> Complex:
        """The first `outputs` frequencies along an axis of a tensor of any rank."""
        shape = shape_of(x.real)
        flat = (prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))
        y = self.run(self._each(x, flat), outputs, wants_imaginary)
        return self._each(y, (*shape[:axis], outputs, *shape[axis + 1 :]))

    def run(self, x: Complex, outputs: int, wants_imaginary: bool) -> Complex:
        """The first frequencies along the middle axis."""
        batch, size, inner = shape_of(x.real)
        p = _factor(size)
        if size <= SHORT or p == 1:
            if size > LONGEST_PRIME:
                raise Refusal(
                    f"a Fourier transform of length {size}, which has no small factors",
                    "pad to a length that is a product of small numbers",
                )
            turns = _turns(size, outputs, size)
            table = self.constant(turns, self._take_scale())
            return self._products(x, table, wants_imaginary)
        q = size // p
        # Sample q i + j, frequency k + p l: first over i, then over j.
        y = self.run(self._each(x, (batch, p, q * inner)), p, True)
        y = self._each(y, (batch, p, q, inner))
        rotation = self.constant(_turns(p, q, size)[..., None], 1.0)
        y = multiply(ComplexFormula(self.b, [y]), y, rotation)
        last = -(-outputs // p)
        y = self.run(self._each(y, (batch * p, q, inner)), last, wants_imaginary)
        y = self._each(y, (batch, p, last, inner))
        y = self._map(y, lambda v: self.b.transpose(v, (0, 2, 1, 3)))
        y = self._each(y, (batch, last * p, inner))
        return self._map(y, lambda v: part(self.b, v, 1, 0, outputs))

    def real_of_half(self, x: Complex, axis: int, size: int) -> SSAValue:
        """The real samples with these non-negative frequencies; the others are conjugate."""
        half = size // 2 + 1
        x = self._map(x, lambda v: part(self.b, v, axis, 0, half))
        if size > SHORT:
            return self.along(self._whole(x, axis, size), axis, size, False).real
        weight = torch.full((half, 1), 2.0 * self._take_scale(), dtype=torch.float64)
        # The first and the middle frequency have no separate mirror image.
        weight[0] /= 2
        if size % 2 == 0:
            weight[-1] /= 2
        table = self.constant(_turns(half, size, size), weight)
        shape = shape_of(x.real)
        flat = (prod(shape[:axis]), half, prod(shape[axis + 1 :]))
        y = self._products(self._each(x, flat), table, False)
        return self.b.reshape(y.real, (*shape[:axis], size, *shape[axis + 1 :]))

    def _whole(self, x: Complex, axis: int, size: int) -> Complex:
        """The frequencies, followed by their conjugate mirror images."""
        count = size - shape_of(x.real)[axis]

        def mirrored(value: SSAValue) -> SSAValue:
            return part(self.b, value, axis, count, count, -1)

        if not count:
            return x
        minus = self.b.scalar(-1, self.element)
        negated = self.b.emit(MulOp.build_op([mirrored(x.imaginary), minus]))
        return Complex(
            joined(self.b, [x.real, mirrored(x.real)], axis),
            joined(self.b, [x.imaginary, negated], axis),
        )

    def _products(self, x: Complex, table: Complex, wants_imaginary: bool) -> Complex:
        """The matrix product of the middle axis with a table (samples, frequencies)."""
        b = self.b
        last = shape_of(x.real)[2] == 1

        def product(value: SSAValue, waves: SSAValue) -> SSAValue:
            batch, size, _ = shape_of(value)
            if not last:
                pair = [b.transpose(waves, (1, 0)), value]
                return b.emit(MatmulOp.build_op(pair))
            rows = b.emit(MatmulOp.build_op([b.reshape(value, (batch, size)), waves]))
            return b.reshape(rows, (*shape_of(rows), 1))

        real, imaginary = product(x.real, table.real), None
        if wants_imaginary:
            imaginary = product(x.real, table.imaginary)
        if x.imaginary is None:
            return Complex(real, imaginary)
        pair = [real, product(x.imaginary, table.imaginary)]
        real = b.emit(SubOp.build_op(pair))
        if imaginary is not None:
            pair = [imaginary, product(x.imaginary, table.real)]
            imaginary = b.emit(AddOp.build_op(pair))
        return Complex(real, imaginary)

    def _take_scale(self) -> float:
        scale, self.scale = self.scale, 1.0
        return scale

    def _each(self, x: Complex, shape: Sequence[int]) -> Complex:
        return self._map(x, lambda value: self.b.reshape(value, shape))

    def _map(self, x: Complex, change: Callable[[SSAValue], SSAValue]) -> Complex:
        imaginary = None if x.imaginary is None else change(x.imaginary)
        return Complex(change(x.real), imaginary)


def _turns(rows: int, columns: int, size: int) -> torch.Tensor:
    """row * column / size in whole turns, reduced exactly modulo 1."""
    return (torch.arange(rows)[:, None] * torch.arange(columns) % size).double() / size


def _factor(size: int) -> int:
    """The largest factor of a number up to its root. For an even number preferably one
    with an even cofactor, so that the middle frequency is exact.
    """
    factors = [p for p in range(isqrt(size), 1, -1) if size % p == 0]
    good = [p for p in factors if size % 2 or size // p % 2 == 0]
    return next(iter(good or factors), 1)


def _scale(norm: int, shape: Sequence[int], axes: Sequence[int]) -> float:
    size = prod(shape[axis] for axis in axes)
    return 1 / {BY_ROOT: sqrt(size), BY_SIZE: size}.get(norm, 1.0)


def _axes(b: GraphBuilder, dims: Sequence[int]) -> list[int]:
    return [axis_of(dim, len(b.result.get_shape())) for dim in dims]


def _complex_to_complex(
    b: GraphBuilder, x: Complex, dims: Sequence[int], norm: int, forward: bool
) -> Complex:
    axes, shape = _axes(b, dims), shape_of(x.real)
    element = tensor_of(x.real).element_type
    transform = Transform(b, element, forward, _scale(norm, shape, axes))
    y = Complex(x.real, None) if _is_zero(x.imaginary) else x
    for axis in reversed(axes):
        y = transform.along(y, axis, shape[axis])
    return y if axes else x


def _real_to_complex(
    b: GraphBuilder, x: SSAValue, dims: Sequence[int], norm: int, onesided: bool
) -> Complex:
    axes, shape = _axes(b, dims), shape_of(x)
    element = tensor_of(x).element_type
    transform = Transform(b, element, True, _scale(norm, shape, axes))
    y, result = Complex(x, None), b.result.get_shape()
    for axis in reversed(axes):
        y = transform.along(y, axis, result[axis])
    return y


def _complex_to_real(
    b: GraphBuilder, x: Complex, dims: Sequence[int], norm: int, size: int
) -> SSAValue:
    axes, shape = _axes(b, dims), b.result.get_shape()
    element = b.result.element_type
    transform = Transform(b, element, False, _scale(norm, shape, axes))
    for axis in axes[:-1]:
        x = transform.along(x, axis, shape[axis])
    return transform.real_of_half(x, axes[-1], size)


def _is_zero(value: SSAValue) -> bool:
    """Whether a part is the zero constant of a real tensor."""
    owner = value.owner
    while isinstance(owner, _MOVES):
        owner = owner.operand.owner
    return isinstance(owner, ConstantOp) and not constant_to_torch(owner.value).any()


_MOVES = (CastOp, ExpandOp, PadOp, ReshapeOp, SliceOp, TransposeOp)

_MAKES = (MatmulOp, MulOp, SubOp, AddOp)

TRANSFORMS: dict[str, ImportRule] = {
    **SHORT_TIME,
    **traced(
        "fft_fft fft_fft2 fft_fftn fft_ifft fft_ifft2 fft_ifftn fft_rfft fft_rfft2 "
        "fft_rfftn fft_irfft fft_irfft2 fft_irfftn fft_hfft fft_hfft2 fft_hfftn "
        "fft_ihfft fft_ihfft2 fft_ihfftn"
    ),
    "aten._fft_c2c.default": ImportRule(_complex_to_complex, _MAKES),
    "aten._fft_c2r.default": ImportRule(_complex_to_real, _MAKES),
    "aten._fft_r2c.default": ImportRule(_real_to_complex, _MAKES),
}
"""ATen overload -> import rule."""
