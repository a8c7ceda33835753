"""ATen operators on each element, as pointwise `nn` ops.

Python numbers become rank-0 constants of the common dtype; tensors are cast to it.
"""

from __future__ import annotations

import torch
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.dialects.nn.pointwise import (
    AddOp,
    BinaryOp,
    BitcastOp,
    CastOp,
    DivOp,
    ExpOp,
    FloatUnaryOp,
    MulOp,
    ReluOp,
    SqrtOp,
    SubOp,
)
from devproc.frontends.torch_export.elementwise.combinations import COMBINATIONS
from devproc.frontends.torch_export.elementwise.division import DIVISIONS
from devproc.frontends.torch_export.elementwise.formula import REDUCED, Operand
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    Unavailable,
    size_of,
)
from devproc.frontends.torch_export.graph.problems import Refusal, training_mode
from devproc.ir.types import DTYPES, is_bool, item_size, tensor_of
from devproc.reference.conversion.tensors import torch_dtype


def arithmetic(
    b: GraphBuilder,
    op: type[BinaryOp],
    x: Operand,
    y: Operand,
    alpha: Number = 1,
) -> SSAValue:
    """`op(x, alpha * y)` in the node's dtype, with PyTorch's rules of promotion.

    PyTorch computes half precision in float32 and rounds once. A sum takes numbers in
    half precision even so; a product or quotient takes its second operand as it is.
    """
    element = b.result.element_type
    if is_bool(element):
        compute = rounded = DTYPES["uint8"]
    elif element in REDUCED and op in (MulOp, DivOp) and _is_finer(y, element):
        compute = rounded = DTYPES["float32"]
    else:
        compute = DTYPES["float32"] if element in REDUCED and alpha != 1 else element
        rounded = element
    left, right = (b.cast(_operand(b, v, rounded), compute) for v in (x, y))
    if alpha != 1:
        factor = b.cast(b.scalar(alpha, rounded), compute)
        right = b.emit(MulOp.build_op([right, factor]))
    return b.cast(b.emit(op.build_op([left, right])), element)


def _is_finer(value: Operand, element: Attribute) -> bool:
    """Whether a number (or a tensor of one element) is more than the dtype holds."""
    if isinstance(value, SSAValue):
        return tensor_of(value).element_type != element and size_of(value) == 1
    exact = torch.tensor(value, dtype=torch.float64)
    return bool(exact.to(torch_dtype(element)).to(torch.float64) != exact)


def _operand(b: GraphBuilder, value: Operand, element: Attribute) -> SSAValue:
    if isinstance(value, SSAValue):
        return b.cast(value, element)
    return b.scalar(value, element)


def binary(op: type[BinaryOp]) -> ImportRule:
    """A row for an operator of two operands, and perhaps alpha."""

    def build(b: GraphBuilder, x: Operand, y: Operand, alpha: Number = 1) -> SSAValue:
        return arithmetic(b, op, x, y, alpha)

    return ImportRule(build, (op,))


def unary(op: type[FloatUnaryOp] | type[ReluOp]) -> ImportRule:
    """A row for an operator of one operand; integers are promoted first."""

    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        return b.emit(op.build_op([b.cast(x, b.result.element_type)]))

    return ImportRule(build, (op,))


def _rsub(b: GraphBuilder, x: SSAValue, y: Operand, alpha: Number = 1) -> SSAValue:
    return arithmetic(b, SubOp, y, x, alpha)


def _negate(b: GraphBuilder, x: SSAValue) -> SSAValue:
    # 0 - x would turn +0 into +0; the product has the right sign.
    return arithmetic(b, MulOp, x, -1)


def _reciprocal(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return arithmetic(b, DivOp, 1, x)


def _rsqrt(b: GraphBuilder, x: SSAValue) -> SSAValue:
    element = b.result.element_type
    compute = DTYPES["float32"] if element in REDUCED else element
    root = b.emit(SqrtOp.build_op([b.cast(x, compute)]))
    value = b.emit(DivOp.build_op([b.scalar(1, compute), root]))
    return b.cast(value, element)


def _sigmoid(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """1 / (1 + exp(-x))."""
    element = b.result.element_type
    compute = DTYPES["float32"] if element in REDUCED else element
    one = b.scalar(1, compute)
    minus = b.emit(MulOp.build_op([b.cast(x, compute), b.scalar(-1, compute)]))
    power = b.emit(ExpOp.build_op([minus]))
    below = b.emit(AddOp.build_op([b.scalar(1, compute), power]))
    return b.cast(b.emit(DivOp.build_op([one, below])), element)


def _to(b: GraphBuilder, x: SSAValue, *_: object, **kwargs: object) -> SSAValue:
    """A change of dtype, as the node's result says; of nothing else."""
    return b.cast(x, b.result.element_type)


def _view(b: GraphBuilder, x: SSAValue, dtype: object) -> SSAValue:
    """The same bits as another dtype of the same width."""
    source, element = tensor_of(x).element_type, b.result.element_type
    if is_bool(source) and item_size(element) == 1:
        return b.cast(x, element)
    if is_bool(element) and not is_bool(source):
        raise Refusal("the bits of numbers cannot be viewed as bool", "use `x != 0`")
    if item_size(source) != item_size(element):
        raise Refusal(
            "a view as a dtype of another width is not supported",
            "view as a dtype of the same width",
        )
    return b.emit(BitcastOp.to(x, element))


def _identity(b: GraphBuilder, x: SSAValue, *_: object, **kwargs: object) -> SSAValue:
    return x


def _dropout(b: GraphBuilder, x: SSAValue, p: float, train: bool) -> SSAValue:
    if train:
        raise training_mode("dropout")
    return x


def _native_dropout(
    b: GraphBuilder, x: SSAValue, p: float, train: bool | None
) -> tuple[SSAValue, Unavailable]:
    mask = Unavailable("the mask of dropout is not computed", "do not use it")
    return _dropout(b, x, p, train is not False), mask


_SIGMOID = ImportRule(_sigmoid, (MulOp, ExpOp, AddOp, DivOp))

IMPORTS: dict[str, ImportRule] = {
    **COMBINATIONS,
    **DIVISIONS,
    "aten.add.Scalar": binary(AddOp),
    "aten.add.Tensor": binary(AddOp),
    "aten.subtract.Scalar": binary(SubOp),
    "aten.sub.Scalar": binary(SubOp),
    "aten.sub.Tensor": binary(SubOp),
    "aten.subtract.Tensor": binary(SubOp),
    "aten.rsub.Scalar": ImportRule(_rsub, (SubOp,)),
    "aten.rsub.Tensor": ImportRule(_rsub, (SubOp,)),
    "aten.mul.Scalar": binary(MulOp),
    "aten.mul.Tensor": binary(MulOp),
    "aten.multiply.Scalar": binary(MulOp),
    "aten.multiply.Tensor": binary(MulOp),
    "aten.div.Scalar": binary(DivOp),
    "aten.div.Tensor": binary(DivOp),
    "aten.divide.Scalar": binary(DivOp),
    "aten.divide.Tensor": binary(DivOp),
    "aten.true_divide.Scalar": binary(DivOp),
    "aten.true_divide.Tensor": binary(DivOp),
    "aten.neg.default": ImportRule(_negate, (MulOp,)),
    "aten.negative.default": ImportRule(_negate, (MulOp,)),
    "aten.reciprocal.default": ImportRule(_reciprocal, (DivOp,)),
    "aten.relu.default": unary(ReluOp),
    "aten.exp.default": unary(ExpOp),
    "aten.sqrt.default": unary(SqrtOp),
    "aten.rsqrt.default": ImportRule(_rsqrt, (SqrtOp, DivOp)),
    "aten.sigmoid.default": _SIGMOID,
    "aten.special_expit.default": _SIGMOID,
    "aten._to_copy.default": ImportRule(_to, (CastOp,)),
    "aten.to.dtype": ImportRule(_to, (CastOp,)),
    "aten.to.dtype_layout": ImportRule(_to, (CastOp,)),
    "aten.to.device": ImportRule(_to, (CastOp,)),
    "aten.to.other": ImportRule(_to, (CastOp,)),
    "aten.type_as.default": ImportRule(_to, (CastOp,)),
    "aten.view.dtype": ImportRule(_view, (BitcastOp,)),
    **{
        f"aten._cast_{name}.default": ImportRule(_to, (CastOp,))
        for name in ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
    },
    "aten.alias.default": ImportRule(_identity),
    "aten.clone.default": ImportRule(_identity),
    "aten.conj.default": ImportRule(_identity),
    "aten.conj_physical.default": ImportRule(_identity),
    "aten.contiguous.default": ImportRule(_identity),
    "aten.detach.default": ImportRule(_identity),
    "aten.detach_.default": ImportRule(_identity),
    "aten.lift_fresh.default": ImportRule(_identity),
    "aten.lift_fresh_copy.default": ImportRule(_identity),
    "aten.lift.default": ImportRule(_identity),
    "aten.real.default": ImportRule(_identity),
    "aten.positive.default": ImportRule(_identity),
    "aten.resolve_conj.default": ImportRule(_identity),
    "aten.resolve_neg.default": ImportRule(_identity),
    "aten.alpha_dropout.default": ImportRule(_dropout),
    "aten.dropout.default": ImportRule(_dropout),
    "aten.feature_alpha_dropout.default": ImportRule(_dropout),
    "aten.feature_dropout.default": ImportRule(_dropout),
    "aten.native_dropout.default": ImportRule(_native_dropout),
}
"""ATen overload -> how to build it."""

NO_IMPORT: dict[type[Operation], str] = {}
"""op class -> why no ATen operator becomes it."""
