"""A loop that carries values from step to step: recurrent layers, with a region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import describe, flag_of, int_attr, int_of, require
from devproc.ir.directives import Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor, tensor_of


@op_definition
class YieldOp(IRDLOperation):
    """Terminates a step of `nn.loop` with its carried and stacked values.

    `nn.yield carry (%h : tensor<2x8xf32>) stack (%h : tensor<2x8xf32>)`
    """

    name = "nn.yield"

    carried = var_operand_def(TensorType)
    stacked = var_operand_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    assembly_format = (
        "`carry` `(` ($carried^ `:` type($carried))? `)`"
        " `stack` `(` ($stacked^ `:` type($stacked))? `)` attr-dict"
    )

    traits = traits_def(IsTerminator())

    def __init__(self, carried: Sequence[SSAValue], stacked: Sequence[SSAValue]):
        super().__init__(operands=[carried, stacked])


@op_definition
class LoopOp(IRDLOperation):
    """Runs its body once for each step, in order, or from the last step to the first.

    Block arguments are the step's element of each sequence (along the first axis, which
    is dropped), the values carried from the previous step (`initial` for the first),
    and the invariants. Results are the carried values after the last step, then the
    stacked values of all steps along a new first axis.

    ```mlir
    %end, %all = nn.loop steps 640 reverse 0 over (%x : tensor<640x2x8xf32>)
        carry (%start : tensor<2x8xf32>) with (%w : tensor<8x8xf32>)
        -> (tensor<2x8xf32>) stack (tensor<640x2x8xf32>) {
    ^bb0(%now: tensor<2x8xf32>, %h: tensor<2x8xf32>, %v: tensor<8x8xf32>):
      %p = nn.linear %h, %v : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
      %n = nn.add %now, %p : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      nn.yield carry (%n : tensor<2x8xf32>) stack (%n : tensor<2x8xf32>)
    }
    ```
    """

    name = "nn.loop"

    steps = prop_def(IntegerAttr)
    reverse = prop_def(IntegerAttr)
    sequences = var_operand_def(TensorType)
    initial = var_operand_def(TensorType)
    invariants = var_operand_def(TensorType)
    final = var_result_def(TensorType)
    stacked = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (
        AttrSizedOperandSegments(as_property=True),
        AttrSizedResultSegments(as_property=True),
    )

    assembly_format = (
        "`steps` custom<Int>($steps) `reverse` custom<Int>($reverse)"
        " `over` `(` ($sequences^ `:` type($sequences))? `)`"
        " `carry` `(` ($initial^ `:` type($initial))? `)`"
        " `with` `(` ($invariants^ `:` type($invariants))? `)`"
        " `->` `(` type($final) `)` `stack` `(` type($stacked) `)` $body attr-dict"
    )

    custom_directives = (Int,)

    traits = traits_def(IsolatedFromAbove(), Pure())

    def __init__(
        self,
        steps: int,
        reverse: bool,
        given: tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]],
        body: Region,
    ):
        carried = [value.type for value in given[1]]
        stacked = [stacked_type(v.type, steps) for v in last_of(body).stacked]
        super().__init__(
            operands=given,
            result_types=[carried, stacked],
            properties={"steps": int_attr(steps), "reverse": int_attr(int(reverse))},
            regions=[body],
        )

    @property
    def step_count(self) -> int:
        """The trip count of the loop."""
        return int_of(self.steps)

    @property
    def order(self) -> range:
        """The steps in the order in which they run."""
        steps = range(self.step_count)
        return steps[::-1] if int_of(self.reverse) else steps

    def verify_(self) -> None:
        _verify_loop(self)


def loop_body(sequences: Sequence[SSAValue], others: Sequence[SSAValue]) -> Block:
    """An empty body: its arguments are one step of each sequence, then the others."""
    steps = [step_type(value.type) for value in sequences]
    return Block(arg_types=[*steps, *(value.type for value in others)])


def last_of(body: Region) -> YieldOp:
    """The terminator of a loop's body."""
    last = body.block.last_op
    assert isinstance(last, YieldOp)
    return last


def _verify_loop(op: LoopOp) -> None:
    """Verify the types of the body's arguments and terminator."""
    count = int_of(op.steps)
    require(count >= 0, f"nn.loop has {count} steps; expected 0 or more")
    flag_of("reverse", op.reverse)
    for value in op.sequences:
        type_ = tensor_of(value)
        require(
            type_.get_shape()[:1] == (count,),
            f"a sequence of nn.loop is {describe(type_)}: its first axis must have the"
            f" {count} steps",
        )
    given = [step_type(value.type) for value in op.sequences]
    given += [value.type for value in (*op.initial, *op.invariants)]
    _require_types("block argument", op.body.block.args, given)
    last = op.body.block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException("the body of nn.loop must end in nn.yield")
    carried = [value.type for value in op.initial]
    _require_types("carried value", last.carried, carried)
    _require_types("final result", op.final, carried)
    stacked = [stacked_type(value.type, count) for value in last.stacked]
    _require_types("stacked result", op.stacked, stacked)


def _require_types(
    what: str, values: Sequence[SSAValue], wanted: Sequence[Attribute]
) -> None:
    require(
        len(values) == len(wanted),
        f"nn.loop needs {len(wanted)} {what}s, got {len(values)}",
    )
    for index, (value, type_) in enumerate(zip(values, wanted, strict=True)):
        require(
            value.type == type_,
            f"{what} {index} of nn.loop must be {type_}, got {value.type}",
        )


def step_type(type_: Attribute) -> AnyTensor:
    """The type of one step of a sequence."""
    whole = cast(AnyTensor, type_)
    return tensor(whole.element_type, whole.get_shape()[1:], whole.encoding)


def stacked_type(type_: Attribute, steps: int) -> AnyTensor:
    """The type of the values of all steps."""
    one = cast(AnyTensor, type_)
    return tensor(one.element_type, (steps, *one.get_shape()), one.encoding)


OPS: Sequence[type[IRDLOperation]] = (LoopOp, YieldOp)
