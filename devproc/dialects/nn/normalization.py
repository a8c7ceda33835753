"""Normalizations that stay single ops until `decompose-nn` decomposes them.

With `statistics`, as in PyTorch's `native_*` operators, an op has further results: the
statistics, in float32 for half precision, with reduced axes of size 1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    f64,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_of,
    positive,
    require,
)
from devproc.dialects.nn.reduction import reduced_shape
from devproc.ir.directives import Int
from devproc.ir.dtypes import format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_float, item_size, tensor

_WEIGHT = "$operand (`weight` $weight^ `:` type($weight))?"
_PARAMETERS = f"{_WEIGHT} (`bias` $bias^ `:` type($bias))?"
_END = (
    " `epsilon` $epsilon (`statistics` $statistics^)? attr-dict"
    " `:` functional-type($operand, results)"
)


class NormalizationOp(NNOp):
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, over some of the axes."""

    epsilon = prop_def(FloatAttr)
    statistics = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    moments = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(Pure())

    @classmethod
    @abstractmethod
    def parameter_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        """The shape of weight and bias; raises VerifyException for a bad property."""

    @classmethod
    @abstractmethod
    def statistics_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        """The shape of the statistics."""

    @classmethod
    def of(
        cls,
        operands: Sequence[SSAValue | None],
        epsilon: float,
        statistics: bool = False,
        **properties: Attribute,
    ) -> Self:
        """The normalization of the first operand; None for each absent operand."""
        sizes = [int(operand is not None) for operand in operands]
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        properties["epsilon"] = FloatAttr(epsilon, f64)
        if statistics:
            properties["statistics"] = UnitAttr()
        return cls.build_op([v for v in operands if v is not None], properties)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        element, shape = operands[0].element_type, operands[0].get_shape()
        require_floats(cls.name, operands)
        wanted = tuple(cls.parameter_shape(shape, properties))
        for parameter in operands[1:]:
            require(
                parameter.get_shape() == wanted,
                f"weight and bias of {cls.name} must have shape {format_shape(wanted)},"
                f" got {describe(parameter)}",
            )
        moments: list[AnyTensor] = []
        if "statistics" in properties:
            compute = "float32" if item_size(element) < 4 else element
            moments = [tensor(compute, cls.statistics_shape(shape, properties))] * 2
        return [tensor(element, shape), *moments]


def require_floats(name: str, operands: Sequence[AnyTensor]) -> None:
    """Require floating-point operands; parameters may differ in dtype."""
    for type_ in operands:
        require(
            is_float(type_.element_type),
            f"{name} takes floating-point operands, got {describe(type_)}",
        )


class LastAxesOp(NormalizationOp):
    """A normalization over the last `dims` axes, which are those of the parameters."""

    dims = prop_def(IntegerAttr)

    custom_directives = (Int,)

    @classmethod
    def parameter_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        return [shape[axis] for axis in last_axes(shape, properties)]

    @classmethod
    def statistics_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        return reduced_shape(shape, last_axes(shape, properties), True)


@op_definition
class LayerNormOp(LastAxesOp):
    """Normalized over the last `dims` axes, which are those of weight and bias
    (`aten.layer_norm`); statistics: the mean, and 1 / sqrt(variance + epsilon).

    ```mlir
    %r = nn.layer_norm %x weight %w : tensor<3xf32> bias %b : tensor<3xf32> dims 1
       epsilon 1.0e-05 : f64 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.layer_norm"

    operand = operand_def(TensorType)
    weight = opt_operand_def(TensorType)
    bias = opt_operand_def(TensorType)

    assembly_format = f"{_PARAMETERS} `dims` custom<Int>($dims){_END}"


@op_definition
class GroupNormOp(NormalizationOp):
    """Each of `groups` equal parts of the channels of each image normalized, weight and
    bias by channel (`aten.group_norm`); shape (N, C, ...), statistics (N, groups, 1): the
    mean, and 1 / sqrt(variance + epsilon).

    ```mlir
    %r = nn.group_norm %x weight %w : tensor<4xf32> groups 2 epsilon 1.0e-05 : f64
       : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
    ```
    """

    name = "nn.group_norm"

    operand = operand_def(TensorType)
    weight = opt_operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    groups = prop_def(IntegerAttr)

    assembly_format = f"{_PARAMETERS} `groups` custom<Int>($groups){_END}"

    custom_directives = (Int,)

    @classmethod
    def parameter_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        groups = positive("groups", properties["groups"])
        require(
            len(shape) >= 2 and shape[1] % groups == 0 and prod(shape) > 0,
            f"{groups} groups do not divide the channels of {format_shape(shape)}",
        )
        return shape[1:2]

    @classmethod
    def statistics_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        return (shape[0], int_of(properties["groups"]), 1)


@op_definition
class BatchNormOp(NormalizationOp):
    """Each channel of (N, C, ...) normalized over all images, weight and bias by channel
    (`aten.batch_norm`), by the given mean and variance, or else by its own; only then has
    it statistics (1, C, 1...): the mean, and 1 / sqrt(variance + epsilon).

    ```mlir
    %r = nn.batch_norm %x weight %w : tensor<4xf32> bias %b : tensor<4xf32>
       mean %m : tensor<4xf32> variance %v : tensor<4xf32> epsilon 1.0e-05 : f64
       : (tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
    ```
    """

    name = "nn.batch_norm"

    operand = operand_def(TensorType)
    weight = opt_operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    mean = opt_operand_def(TensorType)
    variance = opt_operand_def(TensorType)

    assembly_format = (
        f"{_PARAMETERS} (`mean` $mean^ `:` type($mean))?"
        f" (`variance` $variance^ `:` type($variance))?{_END}"
    )

    @classmethod
    def parameter_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        sizes = properties["operandSegmentSizes"]
        assert isinstance(sizes, DenseArrayBase)
        given = sizes.get_values()[3:]
        require(
            len(shape) >= 2 and (any(given) or prod(shape) > 0),
            f"nn.batch_norm takes (N, C, ...), got {format_shape(shape)}",
        )
        require(len(set(given)) == 1, "mean and variance are given together")
        require(
            not any(given) or "statistics" not in properties,
            "nn.batch_norm has no statistics results if mean and variance are given",
        )
        return shape[1:2]

    @classmethod
    def statistics_shape(
        cls, shape: Sequence[int], properties: Properties
    ) -> Sequence[int]:
        return reduced_shape(shape, [0, *range(2, len(shape))], True)


@op_definition
class RmsNormOp(LastAxesOp):
    """x / sqrt(mean(x * x) + epsilon) * weight, over the last `dims` axes, which are those
    of the weight (`aten.rms_norm`); statistics: 1 / sqrt(mean(x * x) + epsilon).

    ```mlir
    %r = nn.rms_norm %x weight %w : tensor<3xf32> dims 1 epsilon 1.0e-06 : f64
       : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "nn.rms_norm"

    operand = operand_def(TensorType)
    weight = opt_operand_def(TensorType)

    assembly_format = f"{_WEIGHT} `dims` custom<Int>($dims){_END}"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        return super().infer(operands, properties)[:2]


def last_axes(shape: Sequence[int], properties: Properties) -> range:
    """The normalized axes; raises VerifyException if the shape has fewer axes."""
    dims = positive("dims", properties["dims"])
    require(dims <= len(shape), f"{format_shape(shape)} has no {dims} axes")
    return range(len(shape) - dims, len(shape))


OPS: Sequence[type[IRDLOperation]] = (
    BatchNormOp,
    GroupNormOp,
    LayerNormOp,
    RmsNormOp,
)
