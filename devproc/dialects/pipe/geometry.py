"""Steps that move pixels: sizes, cuts, borders, turns and warps of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.directives import Ints, Text
from devproc.dialects.nn import image
from devproc.dialects.nn.base import Properties, int_array, require
from devproc.dialects.pipe.base import PipeOp
from devproc.dialects.pipe.layout import describe_value, layout_of, with_layout
from devproc.ir.types import AnyTensor


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


OPS: Sequence[type[IRDLOperation]] = (ResizeOp,)
