"""Steps on axes: permutation, and joining and splitting of images."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    int_of,
    ints,
    normalize_axis,
    require,
)
from devproc.dialects.pipe.base.layout import (
    AxesAttr,
    describe_value,
    layout_of,
    layout_problem,
    with_layout,
)
from devproc.dialects.pipe.base.source_map import AxisMap, SourceMap
from devproc.dialects.pipe.base.step import PipeOp, PixelwiseOp, UnaryStep
from devproc.ir.dtypes import format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor


@op_definition
class LayoutOp(PixelwiseOp):
    """Permutes the axes; an axis N or C of size 1 may be added or dropped.

    The axes of an operand without a layout have the meaning of `from`.

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
    """The lowering of `pipe.layout` to reshape and transpose: the shape without the
    dropped axes, and the permutation of the others."""
    kept = [letter for letter in source if letter in target]
    sizes = dict(zip(source, shape, strict=True))
    order = [letter for letter in target if letter in source]
    return [sizes[letter] for letter in kept], [kept.index(letter) for letter in order]


@op_definition
class StackOp(PipeOp):
    """Values of one type as a batch: concatenated along the axis N, which is added in
    front if missing. With an `axis`, stacked along a new one at this index
    (`numpy.stack`), which has no meaning unless it is the first.

    ```mlir
    %r = pipe.stack %x, %y
       : (tensor<5x7xf32, #pipe.axes<"HW">>, tensor<5x7xf32, #pipe.axes<"HW">>)
       -> tensor<2x5x7xf32, #pipe.axes<"NHW">>
    ```
    """

    name = "pipe.stack"

    inputs = var_operand_def(TensorType)
    axis = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$inputs (`axis` $axis^)? attr-dict `:` functional-type(operands, results)"
    )

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
        if "axis" in properties:
            place = normalize_axis(int_of(properties["axis"]), len(shape) + 1)
            shape.insert(place, len(operands))
            in_front = axis is None and place == 0 and layout
            layout = f"N{layout}" if in_front else None
        elif axis is None:
            shape.insert(0, len(operands))
            layout = f"N{layout}" if layout else None
        else:
            shape[axis] *= len(operands)
        return [with_layout(tensor(first.element_type, shape), layout)]


def batch_axis(type_: AnyTensor) -> int | None:
    """The index of the axis N; None if there is none."""
    layout = layout_of(type_) or ""
    return layout.index("N") if "N" in layout else None


@op_definition
class SelectOp(UnaryStep):
    """The elements at one index of an axis, which is removed.

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


@op_definition
class SliceOp(UnaryStep):
    """A strided slice of one axis, of `size` elements.

    ```mlir
    %r = pipe.slice %x axis 1 from 5 size 3 step -2
       : (tensor<2x7xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "pipe.slice"

    axis = prop_def(IntegerAttr)
    start = prop_def(IntegerAttr)
    size = prop_def(IntegerAttr)
    step = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) `from` custom<Int>($start)"
        " `size` custom<Int>($size) `step` custom<Int>($step) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        shape = list(x.get_shape())
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        start, size, step = (int_of(properties[k]) for k in ("start", "size", "step"))
        last = start + (size - 1) * step
        require(
            size > 0
            and step != 0
            and min(start, last) >= 0
            and max(start, last) < shape[axis],
            f"{size} elements from {start} on in steps of {step} are not within axis"
            f" {axis} of {describe_value(x)}",
        )
        shape[axis] = size
        return [with_layout(tensor(x.element_type, shape), layout_of(x))]

    def source_map(self) -> SourceMap | None:
        layout, axis = layout_of(self.operand.type) or "", int_of(self.axis)
        letter = layout[axis] if layout else ""
        if letter in ("N", "C"):
            return SourceMap()
        moved = AxisMap(1, int_of(self.start))
        if letter not in ("H", "W") or int_of(self.step) != 1:
            return None
        return SourceMap(moved) if letter == "H" else SourceMap(horizontal=moved)


@op_definition
class ConcatOp(PipeOp):
    """Values concatenated along an existing axis (`numpy.concatenate`).

    ```mlir
    %r = pipe.concat %x, %y axis 1
       : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    ```
    """

    name = "pipe.concat"

    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$inputs `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        require(len(operands) > 0, "concat needs at least one value")
        first, layout = operands[0], layout_of(operands[0])
        shape = list(first.get_shape())
        axis = normalize_axis(int_of(properties["axis"]), len(shape))
        for other in operands[1:]:
            sizes = list(other.get_shape())
            require(
                other.element_type == first.element_type
                and layout_of(other) == layout
                and len(sizes) == len(shape)
                and sizes[:axis] + sizes[axis + 1 :]
                == shape[:axis] + shape[axis + 1 :],
                "concat takes values of one dtype and layout, and of one shape but along"
                f" axis {axis}, got {describe_value(first)} and {describe_value(other)}",
            )
        shape[axis] = sum(x.get_shape()[axis] for x in operands)
        return [with_layout(tensor(first.element_type, shape), layout)]


@op_definition
class TransposeOp(UnaryStep):
    """Permutes the axes, including their meaning (`numpy.transpose`).

    ```mlir
    %r = pipe.transpose %x by [2, 0, 1]
       : (tensor<4x5x3xf32, #pipe.axes<"HWC">>) -> tensor<3x4x5xf32, #pipe.axes<"CHW">>
    ```
    """

    name = "pipe.transpose"

    axes = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `by` custom<Ints>($axes) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, axes = operands[0], ints(properties["axes"])
        require(
            sorted(axes) == list(range(len(x.get_shape()))),
            f"{list(axes)} does not name each axis of {describe_value(x)} once",
        )
        layout = layout_of(x)
        if layout is not None:
            layout = "".join(layout[axis] for axis in axes)
        shape = [x.get_shape()[axis] for axis in axes]
        return [with_layout(tensor(x.element_type, shape), layout)]

    def source_map(self) -> SourceMap | None:
        return SourceMap()


@op_definition
class ReshapeOp(UnaryStep):
    """The same elements in another shape, whose axes have the given layout
    (`numpy.reshape`).

    `%r = pipe.reshape %x to [6] layout "" : (tensor<2x3xf32>) -> tensor<6xf32>`
    """

    name = "pipe.reshape"

    shape = prop_def(DenseArrayBase)
    layout = prop_def(StringAttr)

    assembly_format = (
        "$operand `to` custom<Ints>($shape) `layout` custom<Text>($layout) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, shape = operands[0], ints(properties["shape"])
        require(
            min(shape, default=0) >= 0 and prod(shape) == prod(x.get_shape()),
            f"{describe_value(x)} has {prod(x.get_shape())} elements, and"
            f" {format_shape(shape)} {prod(shape)}",
        )
        layout = cast(StringAttr, properties["layout"]).data
        problem = layout_problem(layout) if layout else None
        if problem is None and layout and len(layout) != len(shape):
            problem = f"layout '{layout}' does not fit shape {format_shape(shape)}"
        require(problem is None, str(problem))
        return [with_layout(tensor(x.element_type, shape), layout or None)]


OPS: Sequence[type[IRDLOperation]] = (
    ConcatOp,
    LayoutOp,
    ReshapeOp,
    SelectOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
