"""Run-time checks for values that PyTorch rejects with an error.

A check has no result. Without the option `check_values` the stage `tensor` erases all
checks first; with it, a check becomes ops that find the first rejected value.
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
    """Rejects some values of an integer tensor; `of` names the operator."""

    operand = operand_def(TensorType)
    of = prop_def(StringAttr)

    # Declared as an effect, so that the op is not dead code.
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
        require(0 not in type_.get_shape(), f"{cls.name} needs at least one element")
        return []


@op_definition
class CheckRangeOp(CheckOp):
    """Rejects values outside of `from` to `to`, both inclusive: the indices of
    `aten.gather`, the classes of `aten.one_hot`. `what` describes the values. For an
    empty axis (0 to -1) every index is rejected.

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
        """The check that all elements of `operand` are from `lower` to `upper`."""
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
    """Rejects zeros: integer divisors of `aten.floor_divide` and `aten.remainder`.

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
