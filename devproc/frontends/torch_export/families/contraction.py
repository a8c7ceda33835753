"""ATen's matrix products."""

from __future__ import annotations

from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, OrOp
from devproc.dialects.nn.contraction import LinearOp, MatmulOp
from devproc.dialects.nn.pointwise import AddOp, MulOp
from devproc.dialects.nn.shape import TransposeOp
from devproc.frontends.torch_export.elementwise.formula import Formula
from devproc.frontends.torch_export.families.pointwise import arithmetic
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    rows_of,
    shape_of,
)
from devproc.frontends.torch_export.graph.composites import traced
from devproc.frontends.torch_export.places.pieces import expanded
from devproc.frontends.torch_export.sums.products import PRODUCTS
from devproc.ir.types import DTYPES, is_bool, product_type, tensor_of


def _linear(
    b: GraphBuilder, x: SSAValue, weight: SSAValue, bias: SSAValue | None
) -> SSAValue:
    if len(shape_of(weight)) == 1:
        # F.linear treats a vector as a weight of one row, whose dimension is dropped.
        weight = b.reshape(weight, (1, *shape_of(weight)))
        product = _product(b, LinearOp, x, weight)
        product = b.reshape(product, b.result.get_shape())
        return product if bias is None else arithmetic(b, AddOp, product, bias)
    return _product(b, LinearOp, x, weight, bias)


def _product(
    b: GraphBuilder,
    op: type[LinearOp | MatmulOp],
    left: SSAValue,
    right: SSAValue,
    bias: SSAValue | None = None,
) -> SSAValue:
    """The product in the dtype of the node's result: PyTorch's sums of int8 wrap."""
    operands = [left, right]
    if bias is not None:
        operands.append(b.cast(bias, product_type(tensor_of(left).element_type)))
    return b.cast(b.emit(op.build_op(operands)), b.result.element_type)


def _linear_without_bias(b: GraphBuilder, x: SSAValue, weight: SSAValue) -> SSAValue:
    return _linear(b, x, weight, None)


def _matmul(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    """The matrix product; a vector is a row on the left and a column on the right."""
    if len(shape_of(x)) == 1:
        x = b.reshape(x, (1, *shape_of(x)))
    if len(shape_of(y)) == 1:
        y = b.reshape(y, (*shape_of(y), 1))
    return b.reshape(_product(b, MatmulOp, x, y), b.result.get_shape())


def _add_product(
    b: GraphBuilder,
    x: SSAValue,
    left: SSAValue,
    right: SSAValue,
    beta: Number = 1,
    alpha: Number = 1,
) -> SSAValue:
    """beta * x + alpha * (left @ right), as `nn.linear` where it has that form."""
    if beta == alpha == 1 and shape_of(x) and shape_of(x) == shape_of(right)[1:]:
        return _product(b, LinearOp, left, _transposed(b, right), x)
    product = _matmul(b, left, right)
    if beta == 0:
        # PyTorch does not read `x` then, so that a NaN in it has no effect.
        return product if alpha == 1 else arithmetic(b, MulOp, product, alpha)
    if beta != 1:
        x = arithmetic(b, MulOp, x, beta)
    return arithmetic(b, AddOp, x, product, alpha)


def _add_blas_product(
    b: GraphBuilder,
    x: SSAValue,
    left: SSAValue,
    right: SSAValue,
    beta: Number = 1,
    alpha: Number = 1,
) -> SSAValue:
    """`_add_product` as BLAS computes it for PyTorch: where alpha is 0, the factors are
    not read, so that a NaN in them has no effect.
    """
    element = b.result.element_type
    if alpha != 0 or element not in (DTYPES["float32"], DTYPES["float64"]):
        return _add_product(b, x, left, right, beta, alpha)
    if beta == 0:
        return b.fill(0)
    x = x if beta == 1 else arithmetic(b, MulOp, x, beta)
    return expanded(b, x, b.result.get_shape())


def _transposed(b: GraphBuilder, matrix: SSAValue) -> SSAValue:
    """The transposed matrix; the operand if the matrix is itself a transpose."""
    owner = matrix.owner
    if isinstance(owner, TransposeOp):
        return owner.operand
    return b.transpose(matrix, (1, 0))


def _add_summed_products(
    b: GraphBuilder, x: SSAValue, left: SSAValue, right: SSAValue, **factors: Number
) -> SSAValue:
    """beta * x + alpha * (the sum of the batch's products), as one product of the batch's
    matrices concatenated along the summed dimension.
    """
    count, rows, inner = shape_of(left)
    left = b.reshape(b.transpose(left, (1, 0, 2)), (rows, count * inner))
    right = b.reshape(right, (count * inner, shape_of(right)[2]))
    return _add_blas_product(b, x, left, right, **factors)


def _outer(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    return arithmetic(b, MulOp, b.reshape(x, (*shape_of(x), 1)), y)


def _add_outer(
    b: GraphBuilder,
    x: SSAValue,
    left: SSAValue,
    right: SSAValue,
    beta: Number = 1,
    alpha: Number = 1,
) -> SSAValue:
    left = b.reshape(left, (*shape_of(left), 1))
    right = b.reshape(right, (1, *shape_of(right)))
    if is_bool(b.result.element_type):
        # PyTorch multiplies and adds bools as logical and and or.
        f = Formula(b, b.result.element_type)
        product = f(AndOp, f(AndOp, left, right), bool(alpha))
        return f(OrOp, f(AndOp, x, bool(beta)), product)
    return _add_product(b, x, left, right, beta, alpha)


_ADDS = (LinearOp, MatmulOp, MulOp, AddOp)

IMPORTS: dict[str, ImportRule] = {
    **traced("einsum"),
    **PRODUCTS,
    "aten.addbmm.default": ImportRule(_add_summed_products, _ADDS),
    **rows_of(ImportRule(_add_blas_product, _ADDS), "addmm addmv"),
    "aten.addr.default": ImportRule(_add_outer, (*_ADDS, AndOp, OrOp)),
    "aten.baddbmm.default": ImportRule(_add_product, _ADDS),
    "aten.linear.default": ImportRule(_linear, (LinearOp,)),
    **rows_of(ImportRule(_matmul, (MatmulOp,)), "bmm dot matmul mm mv vdot"),
    "devproc.linear.default": ImportRule(_linear_without_bias, (LinearOp,)),
    "devproc.matmul.default": ImportRule(_matmul, (MatmulOp,)),
    "aten.outer.default": ImportRule(_outer, (MulOp,)),
}
"""ATen overload -> import rule."""
