"""The base class of steps: a shape rule that infers layouts, and its verification."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.base import NNOp, Properties, describe, require
from devproc.dialects.pipe.base.layout import bounded_axis, describe_value, layout_of
from devproc.dialects.pipe.base.source_map import SourceMap
from devproc.ir.directives import Floats, Int, Ints, Text
from devproc.ir.types import tensor, tensor_of


class PipeOp(NNOp, ABC):
    """A step of the program; its shape rule also infers layouts, and both are verified.

    A step reads a bounded value (`pipe.bounded`) only together with its count: such a
    class declares that it takes one, as its last operand.
    """

    traits = traits_def(Pure())

    custom_directives = (Floats, Int, Ints, Text)

    TAKES_COUNT: ClassVar[bool] = False

    @classmethod
    def build_op(
        cls, operands: Sequence[SSAValue], properties: Properties | None = None
    ) -> Self:
        """The op with inferred result types."""
        require_count(cls, operands)
        properties = dict(properties or {})
        types = [tensor_of(v) for v in operands]
        return cls.create(
            operands=operands,
            result_types=cls.infer(types, properties),
            properties=properties,
        )

    def source_map(self) -> SourceMap | None:
        """The map from positions in the result to the first operand; None if it is not
        separable into axes.
        """
        return None

    def verify_(self) -> None:
        for value in (*self.operands, *self.results):
            layout, type_ = layout_of(value.type), tensor_of(value)
            require(
                layout is None or len(layout) == len(type_.get_shape()),
                f"layout '{layout}' does not name the axes of {describe(type_)}",
            )
            axis = bounded_axis(value.type)
            require(
                axis is None or axis < len(type_.get_shape()),
                f"{describe(type_)} has no axis {axis} to be bounded",
            )
        super().verify_()
        require_count(type(self), self.operands)
        wanted = self.infer([tensor_of(v) for v in self.operands], self.properties)
        for index, (want, result) in enumerate(zip(wanted, self.results, strict=True)):
            if want != result.type:
                raise VerifyException(
                    f"result {index} must have layout {_axes(want)}, "
                    f"got {_axes(result.type)}"
                )


def count_of(value: SSAValue) -> SSAValue | None:
    """The count of a bounded value: a result or an operand of its step."""
    owner = value.owner
    return getattr(owner, "count", None) if isinstance(owner, PipeOp) else None


def require_count(op: type[PipeOp], operands: Sequence[SSAValue]) -> None:
    """Require that bounded operands are used with their own count."""
    for value in operands:
        type_ = tensor_of(value)
        axis = bounded_axis(type_)
        if axis is None:
            continue
        require(
            op.TAKES_COUNT,
            f"{op.name} ignores the count of {describe_value(type_)}, of which rows from"
            " the count on are padding",
        )
        count = operands[-1]
        require(
            not op.TAKES_COUNT
            or (
                tensor_of(count) == tensor("int64", type_.get_shape()[:axis])
                and count_of(value) in (None, count)
            ),
            f"{op.name} needs the count that belongs to {describe_value(type_)}",
        )


def _axes(type_: Attribute) -> str:
    """Layout and bound in a message."""
    axis = bounded_axis(type_)
    bound = "" if axis is None else f" bounded along axis {axis}"
    return (layout_of(type_) or "none") + bound


class UnaryStep(PipeOp, ABC):
    """A step from one tensor to one tensor."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"


class AxisStep(UnaryStep, ABC):
    """A step along one axis, which may count from the end."""

    axis = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )


class PixelwiseOp(UnaryStep, ABC):
    """A step that does not move pixels."""

    def source_map(self) -> SourceMap | None:
        return SourceMap()


def source_map_between(image: SSAValue, source: SSAValue) -> SourceMap:
    """The map from positions in `image` to `source`, from which steps computed it.

    Raises VerifyException unless `image` comes from `source` by steps that move pixels
    along axes only.
    """
    found, value = SourceMap(), image
    while value is not source:
        step = value.owner
        if not isinstance(value, OpResult) or not isinstance(step, PipeOp):
            raise VerifyException(
                f"{describe_value(tensor_of(image))} was not made of "
                f"{describe_value(tensor_of(source))}: its steps begin at "
                f"{describe_value(tensor_of(value))}"
            )
        place = step.source_map()
        if place is None:
            raise VerifyException(
                f"{step.name.removeprefix('pipe.')} does not move whole axes, so no "
                "position after it can be traced back"
            )
        found, value = place.after(found), step.operands[0]
    return found
