"""The steps of the user's program."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.directives import Floats, Int, Ints, Text
from devproc.dialects.nn import image, pointwise, reduction
from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_array,
    int_attr,
    int_of,
    normalize_axis,
    require,
)
from devproc.dialects.pipe.layout import (
    AxesAttr,
    describe_value,
    layout_of,
    layout_problem,
    with_layout,
)
from devproc.ir.types import AnyTensor, tensor, tensor_of


class PipeOp(NNOp, ABC):
    """A step of the program; its shape rule gives layouts too, and both are verified."""

    @classmethod
    def build_op(
        cls, operands: Sequence[SSAValue], properties: Properties | None = None
    ) -> Self:
        """The op with inferred result types."""
        properties = dict(properties or {})
        types = [tensor_of(v) for v in operands]
        return cls.create(
            operands=operands,
            result_types=cls.infer(types, properties),
            properties=properties,
        )

    def verify_(self) -> None:
        for value in (*self.operands, *self.results):
            layout, type_ = layout_of(value.type), tensor_of(value)
            require(
                layout is None or len(layout) == len(type_.get_shape()),
                f"layout '{layout}' does not name the axes of {describe(type_)}",
            )
        super().verify_()
        wanted = self.infer([tensor_of(v) for v in self.operands], self.properties)
        for index, (want, result) in enumerate(zip(wanted, self.results, strict=True)):
            if want != result.type:
                raise VerifyException(
                    f"result {index} must have layout {layout_of(want) or 'none'}, "
                    f"got {layout_of(result.type) or 'none'}"
                )


@irdl_op_definition
class ResizeOp(PipeOp):
    """Resizes height and width, equal to the named library (see `nn.resize`).

    ```mlir
    %r = pipe.resize %x to [8, 9] mode "bilinear" like "pillow"
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<8x9x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.resize"

    operand = operand_def(TensorType)
    size = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `to` custom<Ints>($size) `mode` custom<Text>($mode)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Ints, Text)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        nn_properties = resize_properties(x, properties)
        (result,) = image.ResizeOp.infer(operands, nn_properties)
        layout = layout_of(x) or ""
        channels = x.get_shape()[layout.index("C")] if "C" in layout else 1
        mode, like = (cast(StringAttr, properties[k]).data for k in ("mode", "like"))
        require(
            channels not in (2, 4) or mode == "nearest" or like != "pillow",
            f"{describe_value(x)} would be LA or RGBA for Pillow, which weighs colours by"
            " their alpha: resize an image without alpha",
        )
        return [with_layout(result, layout)]


def resize_properties(x: AnyTensor, properties: Properties) -> Properties:
    """The properties of the `nn.resize` that a `pipe.resize` of `x` stands for."""
    layout = layout_of(x) or ""
    require(
        "H" in layout and "W" in layout,
        f"resize needs axes H and W, got {describe_value(x)}",
    )
    axes = int_array([layout.index("H"), layout.index("W")])
    return {"axes": axes, **properties}


@irdl_op_definition
class NormalizeOp(PipeOp):
    """(x - mean) / std per channel in float32; uint8 is divided by 255 first.

    ```mlir
    %r = pipe.normalize %x mean [0.5] std [0.25]
       : (tensor<4x4x1xui8, #pipe.axes<"HWC">>) -> tensor<4x4x1xf32, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.normalize"

    operand = operand_def(TensorType)
    mean = prop_def(DenseArrayBase)
    std = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `mean` custom<Floats>($mean) `std` custom<Floats>($std) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Floats,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        nn_properties = normalize_properties(operands[0], properties)
        (result,) = image.NormalizeOp.infer(operands, nn_properties)
        return [with_layout(result, layout_of(operands[0]))]


def normalize_properties(x: AnyTensor, properties: Properties) -> Properties:
    """The properties of the `nn.normalize` that a `pipe.normalize` of `x` stands for."""
    layout = layout_of(x)
    require(
        layout is not None, f"normalize needs an image layout, got {describe_value(x)}"
    )
    # find gives -1 where there is no C: one channel without an axis.
    return {"axis": int_attr((layout or "").find("C")), **properties}


@irdl_op_definition
class LayoutOp(PipeOp):
    """The axes in another order; an axis N or C of size 1 may come or go.

    An operand with plain axes gets the meaning that `from` gives it.

    ```mlir
    %r = pipe.layout %x from "HWC" to "NCHW"
       : (tensor<4x5x3xf32, #pipe.axes<"HWC">>) -> tensor<1x3x4x5xf32, #pipe.axes<"NCHW">>
    ```
    """

    name = "pipe.layout"

    operand = operand_def(TensorType)
    source = prop_def(StringAttr)
    target = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `from` custom<Text>($source) `to` custom<Text>($target) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Text,)

    traits = traits_def(Pure())

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


@irdl_op_definition
class SoftmaxOp(PipeOp):
    """exp(x - max) / sum along one axis.

    `%r = pipe.softmax %x axis -1 : (tensor<1x10xf32>) -> tensor<1x10xf32>`
    """

    name = "pipe.softmax"

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (result,) = reduction.SoftmaxOp.infer(operands, properties)
        return [with_layout(result, layout_of(operands[0]))]


@irdl_op_definition
class ArgmaxOp(PipeOp):
    """Index (int64) of the first maximum along one axis, which goes away.

    `%r = pipe.argmax %x axis -1 : (tensor<1x10xf32>) -> tensor<1xi64>`
    """

    name = "pipe.argmax"

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        nn_properties = argmax_properties(properties)
        (result,) = reduction.ArgmaxOp.infer(operands, nn_properties)
        layout = layout_of(x)
        if layout is not None:
            axis = normalize_axis(int_of(properties["axis"]), len(layout))
            layout = layout[:axis] + layout[axis + 1 :]
        return [with_layout(result, layout)]


def argmax_properties(properties: Properties) -> Properties:
    """The properties of the `nn.argmax` that a `pipe.argmax` stands for."""
    return {**properties, "keep": int_attr(0)}


@irdl_op_definition
class CastOp(PipeOp):
    """Conversion to another dtype with C's rules (see `nn.cast`).

    `%r = pipe.cast %x to f32 : (tensor<2xui8>) -> tensor<2xf32>`
    """

    name = "pipe.cast"

    operand = operand_def(TensorType)
    dtype = prop_def(TypeAttribute)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `to` $dtype attr-dict `:` functional-type(operands, results)"
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        (result,) = pointwise.CastOp.infer(operands, properties)
        return [with_layout(result, layout_of(operands[0]))]


def layout_shapes(
    source: str, target: str, shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """How `pipe.layout` becomes reshape and transpose: the shape without the axes that
    go away, and the permutation of what stays."""
    kept = [letter for letter in source if letter in target]
    sizes = dict(zip(source, shape, strict=True))
    order = [letter for letter in target if letter in source]
    return [sizes[letter] for letter in kept], [kept.index(letter) for letter in order]


OPS: Sequence[type[IRDLOperation]] = (
    ArgmaxOp,
    CastOp,
    LayoutOp,
    NormalizeOp,
    ResizeOp,
    SoftmaxOp,
)
