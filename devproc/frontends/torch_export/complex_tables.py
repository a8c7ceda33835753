"""Operators that take or give complex numbers, as real arithmetic.

The importer builds a node with a complex tensor by these rows, never by those of real
numbers; `complex_parts` says what a complex tensor is.
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
    """Another dtype; a real one drops the imaginary part."""
    x = as_complex(b, x)
    element = part_type(b.result).element_type
    if not is_complex(b.result):
        return b.cast(x.real, element)
    return Complex(b.cast(x.real, element), b.cast(x.imaginary, element))


def _filled(number: Number | None) -> ImportRule:
    """A row for a constant of one number, or of the last argument."""

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
    """A row for an operator that is linear in each of two operands: four products."""

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
    """A row for a norm: that of the absolute values."""
    operator = overload(name)

    def norm(
        x: Tensor, *args: Any, dtype: torch.dtype | None = None, **kwargs: Any
    ) -> Tensor:
        sizes = x.to(dtype or x.dtype).abs()
        return operator(sizes, *args, **kwargs)

    return composed_of(norm)


def _both(imports: dict[str, ImportRule], names: str) -> dict[str, ImportRule]:
    """Rows of operators that do the same with both parts: `name:0,1` where others than
    the first argument are numbers too.
    """
    found: dict[str, ImportRule] = {}
    for entry in names.split():
        name, _, places = entry.partition(":")
        numbers = [int(place) for place in (places or "0").split(",")]
        found[f"aten.{name}"] = by_parts(imports[f"aten.{name}"], *numbers)
    return found


def _rows(rule: ImportRule, names: str) -> dict[str, ImportRule]:
    return {f"aten.{name}": rule for name in names.split()}


_DOT = _product(contraction.IMPORTS["aten.dot.default"])

_MOVED = {
    **{name: by_parts(rule, 0) for name, rule in shape.IMPORTS.items()},
    **_both(
        shape.IMPORTS,
        "constant_pad_nd.default:0,2 copy.default:0,1 diff.default:0,3,4 "
        "pad.default:0,3 select_scatter.default:0,1 slice_scatter.default:0,1",
    ),
    **_both(
        gather.IMPORTS,
        "_unsafe_index.Tensor _unsafe_masked_index.default:0,3 as_strided.default as_strided_copy.default "
        "as_strided_scatter.default:0,1 block_diag.default diag.default "
        "diag_embed.default diagflat.default diagonal.default diagonal_copy.default "
        "diagonal_scatter.default:0,1 embedding.default gather.default im2col.default "
        "index.Tensor index_add.default:0,3 index_copy.default:0,3 "
        "index_fill.int_Scalar:0,3 index_fill.int_Tensor:0,3 masked_scatter.default:0,2 "
        "put.default:0,2 "
        "index_put.default:0,2 index_select.default linalg_diagonal.default "
        "scatter.src:0,3 scatter.value:0,3 scatter_add.default:0,3 take.default "
        "take_along_dim.default trace.default tril.default triu.default "
        "unfold.default unfold_copy.default",
    ),
    **_both(
        compare.IMPORTS,
        "masked_fill.Scalar:0,2 masked_fill.Tensor:0,2 where.self:1,2 where.Scalar:1,2 "
        "where.ScalarOther:1,2 where.ScalarSelf:1,2",
    ),
}
"""What only moves elements moves those of both parts."""

_SUMS = {
    **_both(
        pointwise.IMPORTS,
        "add.Scalar:0,1 add.Tensor:0,1 alias.default clone.default contiguous.default "
        "detach.default detach_.default lift.default lift_fresh.default "
        "lift_fresh_copy.default neg.default negative.default positive.default "
        "resolve_conj.default resolve_neg.default rsub.Scalar:0,1 rsub.Tensor:0,1 "
        "sub.Scalar:0,1 sub.Tensor:0,1 subtract.Scalar:0,1 subtract.Tensor:0,1",
    ),
    **_both(
        reduction.IMPORTS,
        "mean.default mean.dim sum.default sum.dim_IntList",
    ),
    **_both(scan.IMPORTS, "cumsum.default"),
}

_PRODUCTS = {
    **{
        f"aten.{name}.default": _product(contraction.IMPORTS[f"aten.{name}.default"])
        for name in ("bmm", "matmul", "mm", "mv", "outer")
    },
    **PRODUCTS,
    **traced(
        *(f"aten.{name}.default" for name in ("addbmm", "addmm", "addmv", "addr")),
        *(f"aten.{name}.default" for name in ("addcdiv", "addcmul", "baddbmm")),
        *("aten.einsum.default", "aten.linear.default"),
        *("aten.lerp.Scalar", "aten.lerp.Tensor"),
    ),
    "aten.dot.default": _DOT,
    "aten.vdot.default": ImportRule(_dot_of_conjugate),
}

_CONSTANTS = {
    **_rows(
        _filled(0),
        "empty.memory_format empty_like.default new_empty.default new_zeros.default "
        "zero.default zeros.default zeros_like.default",
    ),
    **_rows(_filled(1), "new_ones.default ones.default ones_like.default"),
    **_rows(
        _filled(None),
        "fill.Scalar full.default full_like.default new_full.default "
        "scalar_tensor.default",
    ),
    **_both(constant.IMPORTS, "fill.Tensor:1"),
}

COMPLEX: dict[str, ImportRule] = {
    **_MOVED,
    **_SUMS,
    **_PRODUCTS,
    **_CONSTANTS,
    **FUNCTIONS,
    **ONLY_COMPLEX,
    **_rows(CONJUGATE, "_conj_physical.default conj.default conj_physical.default"),
    **_rows(ImportRule(_adjoint), "adjoint.default mH.default matrix_H.default"),
    **_rows(
        ImportRule(_to),
        "_to_copy.default to.dtype to.dtype_layout to.device to.other type_as.default",
    ),
    **{
        f"aten.{name}": _of_sizes(f"aten.{name}")
        for name in ("linalg_vector_norm.default", "norm.Scalar", "norm.ScalarOpt_dim")
    },
    **traced("aten.linalg_norm.default"),
    "aten.real.default": ImportRule(_real),
}
"""ATen overload -> how to build a node with a complex tensor."""
