"""Checks of values: what PyTorch raises an error for, a program can look for.

A check has no result. Without the option `check_values` the stage `tensor` begins by
erasing it; with the option it becomes ops that find the first value that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryWriteEffect

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_attr,
    int_of,
    require,
)
from devproc.ir.directives import Int, Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, is_float


class CheckOp(NNOp):
    """Refuses some of the values of a tensor of integers; `of` names the operator."""

    operand = operand_def(TensorType)
    of = prop_def(StringAttr)

    # It has an effect, so that nobody takes it for dead.
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (type_,) = operands
        require(
            not is_float(type_.element_type) and not is_bool(type_.element_type),
            f"{cls.name} takes integers, got {describe(type_)}",
        )
        require(0 not in type_.get_shape(), f"{cls.name} has nothing to look at")
        return []


@op_definition
class CheckRangeOp(CheckOp):
    """Refuses values outside of `from` to `to`, both included: the indices of
    `aten.gather`, the classes of `aten.one_hot`. `what` says what the values are. Of an
    axis without elements (0 to -1) every index is refused.

    ```mlir
    nn.check_range %i from -9 to 8 what "index" of "aten.index.Tensor" : tensor<2xi64>
    ```
    """

    name = "nn.check_range"

    lower = prop_def(IntegerAttr)
    upper = prop_def(IntegerAttr)
    what = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Int>($lower) `to` custom<Int>($upper) `what`"
        " custom<Text>($what) `of` custom<Text>($of) attr-dict `:` type($operand)"
    )

    custom_directives = (Int, Text)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        lower, upper = int_of(properties["lower"]), int_of(properties["upper"])
        require(lower <= upper + 1, f"no range goes from {lower} to {upper}")
        return super().infer(operands, properties)

    @classmethod
    def within(
        cls, operand: SSAValue, lower: int, upper: int, what: str, of: str
    ) -> CheckRangeOp:
        """The check that all of `operand` lies from `lower` to `upper`."""
        return cls.build_op(
            [operand],
            {
                "lower": int_attr(lower),
                "upper": int_attr(upper),
                "what": StringAttr(what),
                "of": StringAttr(of),
            },
        )


@op_definition
class CheckDivisorOp(CheckOp):
    """Refuses zeros: the divisors of `aten.floor_divide` and `aten.remainder` of integers.

    ```mlir
    nn.check_divisor %y of "aten.remainder.Tensor" : tensor<2xi64>
    ```
    """

    name = "nn.check_divisor"

    assembly_format = "$operand `of` custom<Text>($of) attr-dict `:` type($operand)"

    custom_directives = (Text,)

    @classmethod
    def at(cls, operand: SSAValue, of: str) -> CheckDivisorOp:
        """The check that no element of `operand` is 0."""
        return cls.build_op([operand], {"of": StringAttr(of)})


OPS: Sequence[type[IRDLOperation]] = (CheckDivisorOp, CheckRangeOp)
