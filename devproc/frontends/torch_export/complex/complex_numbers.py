"""Operators that build complex tensors from real ones, or take their parts."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.elementary import CosOp, SinOp
from devproc.dialects.nn.pointwise import MulOp
from devproc.dialects.nn.shape import ConcatOp, ExpandOp, SliceOp
from devproc.frontends.torch_export.complex.complex_functions import conjugate
from devproc.frontends.torch_export.complex.complex_parts import (
    ComplexFormula,
    part_type,
)
from devproc.frontends.torch_export.complex.fourier import TRANSFORMS
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
    shape_of,
)
from devproc.frontends.torch_export.places.pieces import expanded, joined, part


def _view_as_complex(b: GraphBuilder, x: SSAValue) -> Complex:
    axis, result = len(shape_of(x)) - 1, b.result.get_shape()
    parts = [b.reshape(part(b, x, axis, place, 1), result) for place in (0, 1)]
    return Complex(*parts)


def _view_as_real(b: GraphBuilder, x: Complex) -> SSAValue:
    shape = (*shape_of(x.real), 1)
    parts = [b.reshape(value, shape) for value in (x.real, x.imaginary)]
    return joined(b, parts, len(shape) - 1)


def _imaginary(b: GraphBuilder, x: Complex) -> SSAValue:
    return x.imaginary


def _complex(b: GraphBuilder, real: SSAValue, imaginary: SSAValue) -> Complex:
    shape = b.result.get_shape()
    return Complex(expanded(b, real, shape), expanded(b, imaginary, shape))


def _polar(b: GraphBuilder, length: SSAValue, angle: SSAValue) -> Complex:
    f, shape = Formula(b, part_type(b.result).element_type), b.result.get_shape()
    parts = [f(MulOp, length, f(wave, angle)) for wave in (CosOp, SinOp)]
    return Complex(*[expanded(b, value, shape) for value in parts])


def conjugated(b: GraphBuilder, x: Complex) -> Complex:
    """The complex conjugate."""
    return conjugate(ComplexFormula(b, [x]), x)


CONJUGATE = ImportRule(conjugated, (MulOp,))

ONLY_COMPLEX: dict[str, ImportRule] = {
    **TRANSFORMS,
    "aten._conj.default": CONJUGATE,
    "aten.complex.default": ImportRule(_complex, (ExpandOp,)),
    "aten.imag.default": ImportRule(_imaginary),
    "aten.polar.default": ImportRule(_polar, (CosOp, SinOp, MulOp)),
    "aten.view_as_complex.default": ImportRule(_view_as_complex, (SliceOp,)),
    "aten.view_as_real.default": ImportRule(_view_as_real, (ConcatOp,)),
}
"""ATen overload -> import rule, for operators that exist only for complex numbers."""
