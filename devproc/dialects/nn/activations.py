"""Activations that stay single ops until `decompose-nn` decomposes them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn.base import Properties, text_of
from devproc.dialects.nn.pointwise import FloatUnaryOp
from devproc.ir.directives import Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor

APPROXIMATIONS = ("none", "tanh")
"""What `nn.gelu` computes: the exact function, or PyTorch's formula with tanh."""


@op_definition
class GeluOp(FloatUnaryOp):
    """x times the normal distribution function of x (`aten.gelu`).

    `%r = nn.gelu %x approximate "tanh" : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.gelu"

    approximate = prop_def(StringAttr)

    assembly_format = (
        "$operand `approximate` custom<Text>($approximate) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Text,)

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        text_of("approximation", properties["approximate"], APPROXIMATIONS)
        return super().infer(operands, properties)


@op_definition
class HardsigmoidOp(FloatUnaryOp):
    """min(max(x + 3, 0), 6) / 6 (`aten.hardsigmoid`).

    `%r = nn.hardsigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.hardsigmoid"


@op_definition
class HardswishOp(FloatUnaryOp):
    """x * min(max(x + 3, 0), 6) / 6 (`aten.hardswish`).

    `%r = nn.hardswish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.hardswish"


@op_definition
class SiluOp(FloatUnaryOp):
    """x / (1 + exp(-x)), also called swish (`aten.silu`).

    `%r = nn.silu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>`
    """

    name = "nn.silu"


OPS: Sequence[type[IRDLOperation]] = (GeluOp, HardsigmoidOp, HardswishOp, SiluOp)
