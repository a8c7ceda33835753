"""Elementwise arithmetic, comparisons and selection.

Shapes are broadcast as NumPy does. Operands have one dtype; integers wrap around.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, operand_def, result_def

from devproc.dialects.nn.base import Properties, broadcast_shapes, require
from devproc.dialects.pipe.base.layout import describe_value, layout_of, with_layout
from devproc.dialects.pipe.base.source_map import SourceMap
from devproc.dialects.pipe.base.step import PipeOp, PixelwiseOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, is_bool, is_float, tensor, tensor_of


def broadcast(
    step: str, element: Attribute, operands: Sequence[AnyTensor]
) -> AnyTensor:
    """The operands' common shape and layout, of this element type.

    Axes are aligned at their end, so a layout must be a suffix of the result's layout.
    """
    shape = broadcast_shapes([x.get_shape() for x in operands])
    listed = " and ".join(map(describe_value, operands))
    whole = {layout_of(x) for x in operands if x.get_num_dims() == len(shape)} - {None}
    require(len(whole) <= 1, f"{step} of {listed}: their axes mean different things")
    layout = next(iter(whole), None)
    for x in operands:
        own = layout_of(x)
        require(
            own is None or layout is None or layout.endswith(own),
            f"{step} of {listed}: the axes {own} would be aligned with the last axes of"
            f" {layout}",
        )
    return with_layout(tensor(element, shape), layout)


def require_alike(step: str, operands: Sequence[AnyTensor]) -> None:
    """Require operands of one dtype."""
    first = operands[0]
    for other in operands[1:]:
        require(
            other.element_type == first.element_type,
            f"{step} takes values of one dtype, got {describe_value(first)} and"
            f" {describe_value(other)}",
            "cast one of them, as in cast(x, 'float32')",
        )


class ElementwiseOp(PipeOp, ABC):
    """An elementwise step."""

    result = result_def(TensorType)

    def source_map(self) -> SourceMap | None:
        first, result = tensor_of(self.operands[0]), tensor_of(self.result)
        kept = first.get_shape() == result.get_shape()
        return SourceMap() if kept and layout_of(first) == layout_of(result) else None


class BinaryOp(ElementwiseOp, ABC):
    """A step on two numbers of one dtype."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        step, element = cls.name.removeprefix("pipe."), operands[0].element_type
        require_alike(step, operands)
        require(
            not is_bool(element),
            f"{step} takes numbers, got {describe_value(operands[0])}",
            "cast bools before, as in cast(x, 'float32')",
        )
        return [broadcast(step, element, operands)]


@op_definition
class AddOp(BinaryOp):
    """Sum (`numpy.add`).

    `%r = pipe.add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.add"


@op_definition
class SubtractOp(BinaryOp):
    """Difference (`numpy.subtract`).

    `%r = pipe.subtract %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.subtract"


@op_definition
class MultiplyOp(BinaryOp):
    """Product (`numpy.multiply`).

    `%r = pipe.multiply %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.multiply"


@op_definition
class DivideOp(BinaryOp):
    """True quotient of floating-point numbers (`numpy.divide`).

    `%r = pipe.divide %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.divide"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        result = super().infer(operands, properties)
        require(
            is_float(operands[0].element_type),
            f"divide takes floating-point numbers, got {describe_value(operands[0])}",
        )
        return result


@op_definition
class MinimumOp(BinaryOp):
    """The smaller number; NaN propagates (`numpy.minimum`).

    `%r = pipe.minimum %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.minimum"


@op_definition
class MaximumOp(BinaryOp):
    """The larger number; NaN propagates (`numpy.maximum`).

    `%r = pipe.maximum %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
    """

    name = "pipe.maximum"


class CompareOp(BinaryOp, ABC):
    """A comparison of two numbers of one dtype; false if either is NaN."""

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        step = cls.name.removeprefix("pipe.")
        super().infer(operands, properties)
        return [broadcast(step, DTYPES["bool"], operands)]


@op_definition
class EqualOp(CompareOp):
    """Whether both are equal (`numpy.equal`).

    `%r = pipe.equal %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>`
    """

    name = "pipe.equal"


@op_definition
class LessOp(CompareOp):
    """Whether the first is smaller (`numpy.less`).

    `%r = pipe.less %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>`
    """

    name = "pipe.less"


@op_definition
class LessEqualOp(CompareOp):
    """Whether the first is not larger (`numpy.less_equal`).

    `%r = pipe.less_equal %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>`
    """

    name = "pipe.less_equal"


def _require_bools(step: str, operands: Sequence[AnyTensor]) -> None:
    for x in operands:
        require(
            is_bool(x.element_type),
            f"{step} takes bools, got {describe_value(x)}",
            "compare numbers before, as in x > 0",
        )


class LogicalOp(ElementwiseOp, ABC):
    """A step on two bools."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        step = cls.name.removeprefix("pipe.")
        _require_bools(step, operands)
        return [broadcast(step, DTYPES["bool"], operands)]


@op_definition
class LogicalAndOp(LogicalOp):
    """Whether both are true (`numpy.logical_and`).

    `%r = pipe.logical_and %x, %y : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>`
    """

    name = "pipe.logical_and"


@op_definition
class LogicalOrOp(LogicalOp):
    """Whether at least one is true (`numpy.logical_or`).

    `%r = pipe.logical_or %x, %y : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>`
    """

    name = "pipe.logical_or"


@op_definition
class LogicalNotOp(PixelwiseOp):
    """Whether the operand is false (`numpy.logical_not`).

    `%r = pipe.logical_not %x : (tensor<2x3xi1>) -> tensor<2x3xi1>`
    """

    name = "pipe.logical_not"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        _require_bools("logical_not", operands)
        return [with_layout(operands[0], layout_of(operands[0]))]


@op_definition
class WhereOp(ElementwiseOp):
    """The first value where the condition is true, else the second (`numpy.where`).

    ```mlir
    %r = pipe.where %c, %x, %y
       : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "pipe.where"

    condition = operand_def(TensorType)
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    assembly_format = (
        "$condition `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        condition, *values = operands
        _require_bools("where", [condition])
        require_alike("where", values)
        return [broadcast("where", values[0].element_type, operands)]


OPS: Sequence[type[IRDLOperation]] = (
    AddOp,
    DivideOp,
    EqualOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
    WhereOp,
)
