"""Steps on the axes themselves: their order, and images put together or taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    var_operand_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    int_of,
    normalize_axis,
    require,
)
from devproc.dialects.pipe.base import PipeOp, PixelwiseOp, UnaryStep
from devproc.dialects.pipe.layout import (
    AxesAttr,
    describe_value,
    layout_of,
    layout_problem,
    with_layout,
)
from devproc.dialects.pipe.source_map import SourceMap
from devproc.ir.types import AnyTensor, tensor


@irdl_op_definition
class LayoutOp(PixelwiseOp):
    """The axes in another order; an axis N or C of size 1 may come or go.

    An operand with plain axes gets the meaning that `from` gives it.

    ```mlir
    %r = pipe.layout %x from "HWC" to "NCHW"
       : (tensor<4x5x3xf32, #pipe.axes<"HWC">>) -> tensor<1x3x4x5xf32, #pipe.axes<"NCHW">>
    ```
    """

    name = "pipe.layout"

    source = prop_def(StringAttr)
    target = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Text>($source) `to` custom<Text>($target) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        source, target = (
            cast(StringAttr, properties[k]).data for k in ("source", "target")
        )
        for layout in (source, target):
            problem = layout_problem(layout)
            require(problem is None, str(problem))
        found = layout_of(x)
        require(
            found in (None, source) and len(source) == len(x.get_shape()),
            f"the value is {describe_value(x)}, not {source}",
        )
        sizes = dict(zip(source, x.get_shape(), strict=True))
        for letter in set(source) ^ set(target):
            require(
                letter in "NC" and sizes.get(letter, 1) == 1,
                f"'{source}->{target}' would {'drop' if letter in source else 'invent'}"
                f" the axis {letter} of {describe_value(x)}; only an N or C of size 1"
                " may come or go",
            )
        shape = [sizes.get(letter, 1) for letter in target]
        return [tensor(x.element_type, shape, AxesAttr.get(target))]


def layout_shapes(
    source: str, target: str, shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """How `pipe.layout` becomes reshape and transpose: the shape without the axes that
    go away, and the permutation of what stays."""
    kept = [letter for letter in source if letter in target]
    sizes = dict(zip(source, shape, strict=True))
    order = [letter for letter in target if letter in source]
    return [sizes[letter] for letter in kept], [kept.index(letter) for letter in order]


@irdl_op_definition
class StackOp(PipeOp):
    """Values of one type as a batch: one behind the other along the axis N, which is put
    in front where there is none.

    ```mlir
    %r = pipe.stack %x, %y
       : (tensor<5x7xf32, #pipe.axes<"HW">>, tensor<5x7xf32, #pipe.axes<"HW">>)
       -> tensor<2x5x7xf32, #pipe.axes<"NHW">>
    ```
    """

    name = "pipe.stack"

    inputs = var_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$inputs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(len(operands) > 0, "stack needs at least one value")
        first, layout = operands[0], layout_of(operands[0])
        for other in operands[1:]:
            require(
                other == first,
                f"stack takes values of one shape, dtype and layout, got "
                f"{describe_value(first)} and {describe_value(other)}",
            )
        shape, axis = list(first.get_shape()), batch_axis(first)
        if axis is None:
            shape.insert(0, len(operands))
            layout = f"N{layout}" if layout else None
        else:
            shape[axis] *= len(operands)
        return [with_layout(tensor(first.element_type, shape), layout)]


def batch_axis(type_: AnyTensor) -> int | None:
    """The number of the axis N; None where there is none."""
    layout = layout_of(type_) or ""
    return layout.index("N") if "N" in layout else None


@irdl_op_definition
class SelectOp(UnaryStep):
    """One index of an axis, which goes away.

    ```mlir
    %r = pipe.select %x axis 0 index 1
       : (tensor<2x5x7xf32, #pipe.axes<"NHW">>) -> tensor<5x7xf32, #pipe.axes<"HW">>
    ```
    """

    name = "pipe.select"

    axis = prop_def(IntegerAttr)
    index = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) `index` custom<Int>($index) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, layout = operands[0], layout_of(operands[0])
        shape = list(x.get_shape())
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        size, index = shape.pop(axis), int_of(properties["index"])
        require(
            -size <= index < size,
            f"index {index} is out of range for axis {axis} of {describe(x)}",
        )
        if layout is not None:
            layout = layout[:axis] + layout[axis + 1 :]
        return [with_layout(tensor(x.element_type, shape), layout)]

    def source_map(self) -> SourceMap | None:
        layout = layout_of(self.operand.type) or ""
        kept = layout and layout[int_of(self.axis)] in "NC"
        return SourceMap() if kept else None


OPS: Sequence[type[IRDLOperation]] = (LayoutOp, SelectOp, StackOp)
