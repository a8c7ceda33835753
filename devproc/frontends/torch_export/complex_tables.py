"""Operators on complex tensors, as real arithmetic.

A node with a complex operand or result is imported by these rows only, never by those of
real numbers; `complex_parts` describes complex tensors.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from xdsl.ir import SSAValue

from devproc.dialects.nn.pointwise import AddOp, SubOp
from devproc.frontends.torch_export.complex.complex_functions import FUNCTIONS
from devproc.frontends.torch_export.complex.complex_numbers import (
    CONJUGATE,
    ONLY_COMPLEX,
    conjugated,
)
from devproc.frontends.torch_export.complex.complex_parts import (
    ComplexFormula,
    as_complex,
    by_parts,
    is_complex,
    part_type,
    refuse_complex_keywords,
)
from devproc.frontends.torch_export.families import (
    compare,
    constant,
    contraction,
    gather,
    pointwise,
    reduction,
    scan,
    shape,
)
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
    Number,
    overloads,
    rows_of,
)
from devproc.frontends.torch_export.graph.composites import (
    composed_of,
    overload,
    traced,
)
from devproc.frontends.torch_export.sums.products import PRODUCTS


def _real(b: GraphBuilder, x: Complex) -> SSAValue:
    return x.real


def _to(b: GraphBuilder, x: Any, *_: object, **kwargs: object) -> Any:
    """A conversion to another dtype; a real one drops the imaginary part."""
    x = as_complex(b, x)
    element = part_type(b.result).element_type
    if not is_complex(b.result):
        return b.cast(x.real, element)
    return Complex(b.cast(x.real, element), b.cast(x.imaginary, element))


def _filled(number: Number | None) -> ImportRule:
    """The rule of a tensor filled with a number, by default with the last argument."""

    def build(b: GraphBuilder, *args: Any, **kwargs: object) -> Complex | SSAValue:
        value = as_complex(b, args[-1] if number is None else number)
        if not is_complex(b.result):
            return b.fill(value.real)
        b.results, name = (part_type(b.result),), b.node_name
        parts: list[SSAValue] = []
        for which, one in (("real", value.real), ("imaginary", value.imaginary)):
            b.node_name = f"{name}.{which}"
            parts.append(b.fill(one))
        return Complex(*parts)

    return ImportRule(build)


def _product(rule: ImportRule) -> ImportRule:
    """The rule of an operator that is linear in each of two operands: four products."""

    def build(b: GraphBuilder, *args: Any, **kwargs: Any) -> Complex:
        refuse_complex_keywords(kwargs)
        x, y = (as_complex(b, argument) for argument in args)
        f = ComplexFormula(b, [x, y])
        x, y = f.complex(x), f.complex(y)
        b.results = (part_type(b.result),)

        def product(left: SSAValue, right: SSAValue) -> SSAValue:
            return rule.build(b, left, right)

        return Complex(
            f(SubOp, product(x.real, y.real), product(x.imaginary, y.imaginary)),
            f(AddOp, product(x.real, y.imaginary), product(x.imaginary, y.real)),
        )

    return ImportRule(build)


def _dot_of_conjugate(b: GraphBuilder, x: Complex, y: Complex) -> Complex:
    return _DOT.build(b, conjugated(b, x), y)


def _adjoint(b: GraphBuilder, x: Complex) -> Complex:
    swapped = by_parts(shape.IMPORTS["aten.mT.default"], 0).build(b, x)
    return conjugated(b, swapped)


def _of_sizes(name: str) -> ImportRule:
    """The rule of a norm, which is the norm of the absolute values."""
    operator = overload(name)

    def norm(
        x: Tensor, *args: Any, dtype: torch.dtype | None = None, **kwargs: Any
    ) -> Tensor:
        sizes = x.to(dtype or x.dtype).abs()
        return operator(sizes, *args, **kwargs)

    return composed_of(norm)


def _both(imports: dict[str, ImportRule], names: str) -> dict[str, ImportRule]:
    """Rows of operators that treat both parts alike. `name:0,1` lists the arguments that
    are tensors or numbers, by default the first one.
    """
    found: dict[str, ImportRule] = {}
    for entry in names.split():
        name, _, places = entry.partition(":")
        (full_name,) = overloads(name)
        numbers = [int(place) for place in (places or "0").split(",")]
        found[full_name] = by_parts(imports[full_name], *numbers)
    return found


_DOT = _product(contraction.IMPORTS["aten.dot.default"])

_MOVED = {
    **{name: by_parts(rule, 0) for name, rule in shape.IMPORTS.items()},
    **_both(
        shape.IMPORTS,
        "constant_pad_nd:0,2 copy:0,1 diff:0,3,4 "
        "pad:0,3 select_scatter:0,1 slice_scatter:0,1",
    ),
    **_both(
        gather.IMPORTS,
        "_unsafe_index.Tensor _unsafe_masked_index:0,3 as_strided as_strided_copy "
        "as_strided_scatter:0,1 block_diag diag "
        "diag_embed diagflat diagonal diagonal_copy "
        "diagonal_scatter:0,1 embedding gather im2col "
        "index.Tensor index_add:0,3 index_copy:0,3 "
        "index_fill.int_Scalar:0,3 index_fill.int_Tensor:0,3 masked_scatter:0,2 "
        "put:0,2 "
        "index_put:0,2 index_select linalg_diagonal "
        "scatter.src:0,3 scatter.value:0,3 scatter_add:0,3 take "
        "take_along_dim trace tril triu "
        "unfold unfold_copy",
    ),
    **_both(
        compare.IMPORTS,
        "masked_fill.Scalar:0,2 masked_fill.Tensor:0,2 where.self:1,2 where.Scalar:1,2 "
        "where.ScalarOther:1,2 where.ScalarSelf:1,2",
    ),
}
"""Operators that only move elements move those of both parts."""

_SUMS = {
    **_both(
        pointwise.IMPORTS,
        "add.Scalar:0,1 add.Tensor:0,1 alias alias_copy clone contiguous "
        "detach detach_ lift lift_fresh "
        "lift_fresh_copy neg negative positive "
        "resolve_conj resolve_neg rsub.Scalar:0,1 rsub.Tensor:0,1 "
        "sub.Scalar:0,1 sub.Tensor:0,1 subtract.Scalar:0,1 subtract.Tensor:0,1",
    ),
    **_both(
        reduction.IMPORTS,
        "mean mean.dim sum sum.dim_IntList",
    ),
    **_both(scan.IMPORTS, "cumsum"),
}

_PRODUCTS = {
    **{
        name: _product(contraction.IMPORTS[name])
        for name in overloads("bmm matmul mm mv outer")
    },
    **PRODUCTS,
    **traced(
        "addbmm addmm addmv addr addcdiv addcmul baddbmm einsum linear lerp.Scalar "
        "lerp.Tensor"
    ),
    "aten.dot.default": _DOT,
    "aten.vdot.default": ImportRule(_dot_of_conjugate),
}

_CONSTANTS = {
    **rows_of(
        _filled(0),
        "empty.memory_format empty_like new_empty new_zeros zero zeros zeros_like",
    ),
    **rows_of(_filled(1), "new_ones ones ones_like"),
    **rows_of(_filled(None), "fill.Scalar full full_like new_full scalar_tensor"),
    **_both(constant.IMPORTS, "fill.Tensor:1"),
}

COMPLEX: dict[str, ImportRule] = {
    **_MOVED,
    **_SUMS,
    **_PRODUCTS,
    **_CONSTANTS,
    **FUNCTIONS,
    **ONLY_COMPLEX,
    **rows_of(CONJUGATE, "_conj_physical conj conj_physical"),
    **rows_of(ImportRule(_adjoint), "adjoint mH matrix_H"),
    **rows_of(
        ImportRule(_to), "_to_copy to.dtype to.dtype_layout to.device to.other type_as"
    ),
    **{
        name: _of_sizes(name)
        for name in overloads("linalg_vector_norm norm.Scalar norm.ScalarOpt_dim")
    },
    **traced("linalg_norm"),
    "aten.real.default": ImportRule(_real),
}
"""ATen overload -> import rule for complex tensors."""
