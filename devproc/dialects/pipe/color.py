"""Steps on what a pixel says: its colour, range, dtype, and the order of the axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TensorType
from xdsl.ir import TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.directives import Floats, Text
from devproc.dialects.nn import image, pointwise
from devproc.dialects.nn.base import Properties, int_attr, require
from devproc.dialects.pipe.base import PipeOp
from devproc.dialects.pipe.layout import (
    AxesAttr,
    describe_value,
    layout_of,
    layout_problem,
    with_layout,
)
from devproc.ir.types import AnyTensor, tensor


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


def layout_shapes(
    source: str, target: str, shape: Sequence[int]
) -> tuple[list[int], list[int]]:
    """How `pipe.layout` becomes reshape and transpose: the shape without the axes that
    go away, and the permutation of what stays."""
    kept = [letter for letter in source if letter in target]
    sizes = dict(zip(source, shape, strict=True))
    order = [letter for letter in target if letter in source]
    return [sizes[letter] for letter in kept], [kept.index(letter) for letter in order]


OPS: Sequence[type[IRDLOperation]] = (CastOp, LayoutOp, NormalizeOp)
