"""The dialect `lab`: a compiler's view of three operators. It needs no PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, FloatAttr, TensorType, f64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import Pure

import devproc
from devproc.dialects.nn.base import NNOp, Properties, require
from devproc.dialects.nn.pointwise import AddOp, DivOp, ExpOp, MulOp
from devproc.ir.text.location import replace_op
from devproc.ir.types import AnyTensor, tensor
from devproc.transforms.kernels.nn_to_linalg.common.lowering import Lowering
from devproc.transforms.kernels.nn_to_linalg.common.scalars import Scalars

if TYPE_CHECKING:
    from devproc.frontends.torch_export.graph.builder import GraphBuilder


def build_swish(b: GraphBuilder, x: SSAValue, scale: float) -> SSAValue:
    """`x / (1 + exp(-scale * x))`, of `nn` ops alone."""
    element = b.result.element_type
    inner = b.emit(MulOp.build_op([x, b.scalar(-scale, element)]))
    power = b.emit(ExpOp.build_op([inner]))
    return b.emit(
        DivOp.build_op([x, b.emit(AddOp.build_op([power, b.scalar(1.0, element)]))])
    )


@irdl_op_definition
class ShrinkOp(NNOp):
    """Moves each element towards zero by a bound."""

    name = "lab.shrink"
    operand = operand_def(TensorType)
    bound = prop_def(FloatAttr)
    result = result_def(TensorType)
    assembly_format = (
        "$operand `by` $bound attr-dict `:` functional-type(operands, results)"
    )
    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(
            isinstance(operands[0].element_type, Float32Type),
            "lab.shrink takes float32",
        )
        return [tensor(operands[0].element_type, operands[0].get_shape())]


def build_shrink(b: GraphBuilder, x: SSAValue, bound: float) -> SSAValue:
    """The number becomes a property."""
    return b.emit(ShrinkOp.build_op([x], {"bound": FloatAttr(bound, f64)}))


def shrink_reference(op: ShrinkOp, x: Any) -> tuple[Any, ...]:
    """The meaning, in PyTorch."""
    bound = op.bound.value.data
    return ((x - bound).clamp(min=0) + (x + bound).clamp(max=0),)


def lower_shrink(op: ShrinkOp, lowering: Lowering) -> SSAValue:
    """One parallel loop."""
    element = lowering.dtype(op.operand)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        zero = s.constant(0.0, element)
        bound = s.constant(op.bound.value.data, element)
        above = s.maximum(s.emit(arith.SubfOp(args[0], bound)), zero, element)
        below = s.minimum(s.add(args[0], bound), zero, element)
        return [s.add(above, below)]

    return lowering.pointwise([op.operand], lowering.result_type, body)


@irdl_op_definition
class DistanceOp(NNOp):
    """Sum of absolute differences of all rows of two matrices."""

    name = "lab.distance"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"
    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        a, b = (type_.get_shape() for type_ in operands)
        require(len(a) == len(b) == 2 and a[1] == b[1], f"rows of {a} and {b} differ")
        return [tensor(operands[0].element_type, (a[0], b[0]))]


def distance_reference(op: DistanceOp, a: Any, b: Any) -> tuple[Any, ...]:
    """The meaning, in PyTorch."""
    return ((a[:, None] - b[None]).abs().sum(-1),)


def lower_distance(op: DistanceOp, lowering: Lowering) -> SSAValue:
    """Loops over rows, rows, and columns, which are summed."""
    element = lowering.result_type.element_type
    start = lowering.fill(0.0, lowering.result_type.get_shape(), element)

    def body(s: Scalars, args: list[SSAValue]) -> Sequence[SSAValue]:
        difference = s.emit(arith.SubfOp(args[0], args[1]))
        return [s.add(args[2], s.emit(math.AbsFOp(difference)))]

    return lowering.generic(
        [
            (op.lhs, AffineMap.from_callable(lambda i, j, k: (i, k))),
            (op.rhs, AffineMap.from_callable(lambda i, j, k: (j, k))),
        ],
        [(start, AffineMap.from_callable(lambda i, j, k: (i, j)))],
        [True, True, False],
        body,
    )[0]


@irdl_op_definition
class CubeOp(NNOp):
    """The third power; made of others again where no device has it."""

    name = "lab.cube"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"
    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        return [operands[0]]


class FindCube(RewritePattern):
    """`(x * x) * x` is a cube."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulOp, rewriter: PatternRewriter, /) -> None:
        square = op.lhs.owner
        if isinstance(square, MulOp) and square.lhs is square.rhs is op.rhs:
            replace_op(rewriter, op, CubeOp.build_op([op.rhs]))


def cube_reference(op: CubeOp, x: Any) -> tuple[Any, ...]:
    """The meaning, in PyTorch."""
    return (x * x * x,)


def decompose_cube(op: Operation, builder: Builder) -> Sequence[SSAValue]:
    """Two products, the second in the other order, so that the pattern is at rest."""
    x = op.operands[0]
    square = builder.insert(MulOp.build_op([x, x])).results[0]
    return [builder.insert(MulOp.build_op([x, square])).results[0]]


def register() -> None:
    """All four registrations."""
    devproc.register_op("lab::swish", build=build_swish)
    devproc.register_op(
        "lab::shrink",
        op=ShrinkOp,
        build=build_shrink,
        reference=shrink_reference,
        lowering=lower_shrink,
    )
    devproc.register_op(
        "lab::distance",
        op=DistanceOp,
        reference=distance_reference,
        lowering=lower_distance,
    )
    devproc.register_op(
        op=CubeOp,
        pattern=FindCube(),
        reference=cube_reference,
        decomposition=decompose_cube,
    )
