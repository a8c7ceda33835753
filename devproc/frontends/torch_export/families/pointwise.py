"""ATen operators on each element, as pointwise `nn` ops.

Python numbers become rank-0 constants of the common dtype; tensors are cast to it.
"""

from __future__ import annotations

import torch
from xdsl.ir import Attribute, SSAValue

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
from devproc.frontends.torch_export.elementwise.formula import (
    REDUCED,
    Formula,
    Operand,
    composed,
    compute_type,
)
from devproc.frontends.torch_export.graph.builder import (
    GraphBuilder,
    ImportRule,
    Number,
    Unavailable,
    rows_of,
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
    """`op(x, alpha * y)` in the node's dtype, with PyTorch's type promotion.

    PyTorch computes half precision in float32 and rounds once. A sum still rounds numbers
    to half precision first; a product or quotient takes its second operand unrounded.
    """
    element = b.result.element_type
    if is_bool(element):
        compute = rounded = DTYPES["uint8"]
    elif element in REDUCED and op in (MulOp, DivOp) and _is_finer(y, element):
        compute = rounded = DTYPES["float32"]
    else:
        compute = DTYPES["float32"] if element in REDUCED and alpha != 1 else element
        rounded = element
    operands = Formula(b, rounded)
    left, right = (b.cast(operands.value(v), compute) for v in (x, y))
    if alpha != 1:
        factor = b.cast(b.scalar(alpha, rounded), compute)
        right = b.emit(MulOp.build_op([right, factor]))
    return b.cast(b.emit(op.build_op([left, right])), element)


def _is_finer(value: Operand, element: Attribute) -> bool:
    """Whether the dtype cannot represent a number (or a tensor of one element) exactly."""
    if isinstance(value, SSAValue):
        return tensor_of(value).element_type != element and size_of(value) == 1
    exact = torch.tensor(value, dtype=torch.float64)
    return bool(exact.to(torch_dtype(element)).to(torch.float64) != exact)


def binary(op: type[BinaryOp]) -> ImportRule:
    """The rule of an operator with two operands and, for some, `alpha`."""

    def build(b: GraphBuilder, x: Operand, y: Operand, alpha: Number = 1) -> SSAValue:
        return arithmetic(b, op, x, y, alpha)

    return ImportRule(build, (op,))


def unary(op: type[FloatUnaryOp] | type[ReluOp]) -> ImportRule:
    """The rule of an operator with one operand; integers are promoted first."""

    def build(b: GraphBuilder, x: SSAValue) -> SSAValue:
        return b.emit(op.build_op([b.cast(x, b.result.element_type)]))

    return ImportRule(build, (op,))


def _rsub(b: GraphBuilder, x: SSAValue, y: Operand, alpha: Number = 1) -> SSAValue:
    return arithmetic(b, SubOp, y, x, alpha)


def _negate(b: GraphBuilder, x: SSAValue) -> SSAValue:
    # 0 - x would give +0 for +0; the product has the right sign.
    return arithmetic(b, MulOp, x, -1)


def _reciprocal(b: GraphBuilder, x: SSAValue) -> SSAValue:
    return arithmetic(b, DivOp, 1, x)


def _rsqrt(f: Formula, x: SSAValue) -> SSAValue:
    root = f(SqrtOp, x)
    return f(DivOp, 1, root)


def _sigmoid(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """1 / (1 + exp(-x))."""
    element = b.result.element_type
    compute = compute_type(element)
    one = b.scalar(1, compute)
    minus = b.emit(MulOp.build_op([b.cast(x, compute), b.scalar(-1, compute)]))
    power = b.emit(ExpOp.build_op([minus]))
    below = b.emit(AddOp.build_op([b.scalar(1, compute), power]))
    return b.cast(b.emit(DivOp.build_op([one, below])), element)


def _to(b: GraphBuilder, x: SSAValue, *_: object, **kwargs: object) -> SSAValue:
    """A conversion to the dtype of the result; devices and layouts are ignored."""
    return b.cast(x, b.result.element_type)


def _view(b: GraphBuilder, x: SSAValue, dtype: object) -> SSAValue:
    """The same bits as another dtype of the same width; raises Refusal for other widths."""
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


IMPORTS: dict[str, ImportRule] = {
    **COMBINATIONS,
    **DIVISIONS,
    **rows_of(binary(AddOp), "add.Scalar add.Tensor"),
    **rows_of(binary(SubOp), "sub.Scalar sub.Tensor subtract.Scalar subtract.Tensor"),
    **rows_of(ImportRule(_rsub, (SubOp,)), "rsub.Scalar rsub.Tensor"),
    **rows_of(binary(MulOp), "mul.Scalar mul.Tensor multiply.Scalar multiply.Tensor"),
    **rows_of(
        binary(DivOp),
        "div.Scalar div.Tensor divide.Scalar divide.Tensor true_divide.Scalar "
        "true_divide.Tensor",
    ),
    **rows_of(ImportRule(_negate, (MulOp,)), "neg negative"),
    "aten.reciprocal.default": ImportRule(_reciprocal, (DivOp,)),
    "aten.relu.default": unary(ReluOp),
    "aten.exp.default": unary(ExpOp),
    "aten.sqrt.default": unary(SqrtOp),
    "aten.rsqrt.default": composed(_rsqrt, SqrtOp, DivOp),
    **rows_of(
        ImportRule(_sigmoid, (MulOp, ExpOp, AddOp, DivOp)), "sigmoid special_expit"
    ),
    **rows_of(
        ImportRule(_to, (CastOp,)),
        "_to_copy to.dtype to.dtype_layout to.device to.other type_as _cast_Byte "
        "_cast_Char _cast_Double _cast_Float _cast_Half _cast_Int _cast_Long "
        "_cast_Short",
    ),
    "aten.view.dtype": ImportRule(_view, (BitcastOp,)),
    **rows_of(
        ImportRule(_identity),
        "alias alias_copy clone conj conj_physical contiguous detach detach_ "
        "lift_fresh lift_fresh_copy lift real positive resolve_conj resolve_neg",
    ),
    **rows_of(
        ImportRule(_dropout),
        "alpha_dropout dropout feature_alpha_dropout feature_dropout",
    ),
    "aten.native_dropout.default": ImportRule(_native_dropout),
}
"""ATen overload -> import rule."""
