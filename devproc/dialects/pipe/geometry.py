"""Resizing of images, and the families of steps that move pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn import image
from devproc.dialects.nn.base import Properties, int_array, ints, require
from devproc.dialects.nn.resampling.filters import LIKE_MODES
from devproc.dialects.nn.resampling.opencv_filters import OPENCV_TAPS
from devproc.dialects.pipe.base.layout import (
    describe_value,
    image_axes,
    image_size,
    layout_of,
    with_layout,
)
from devproc.dialects.pipe.base.source_map import AxisMap, SourceMap
from devproc.dialects.pipe.base.step import UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor_of

MODES = {**LIKE_MODES, "opencv": (*OPENCV_TAPS, "area")}
"""Library -> the modes of its resize."""


@op_definition
class ResizeOp(UnaryStep):
    """Resizes height and width as the named library does (see `nn.resize`).

    `like = "opencv"`: `cv2.resize`. Pillow weights the colours of images with two and
    four channels (LA, RGBA) by their alpha.

    ```mlir
    %r = pipe.resize %x to [8, 9] mode "bilinear" like "pillow"
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<8x9x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.resize"

    size = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `to` custom<Ints>($size) `mode` custom<Text>($mode)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        mode, like = (cast(StringAttr, properties[k]) for k in ("mode", "like"))
        image.require_filter(mode, like, MODES)
        nn_properties = resize_properties(x, properties)
        if like.data == "opencv":
            # The same shapes and dtypes.
            named = StringAttr("nearest"), StringAttr("pillow")
            nn_properties = {**nn_properties, "mode": named[0], "like": named[1]}
        (result,) = image.ResizeOp.infer(operands, nn_properties)
        require(
            alpha_axis(x, properties) is None or x.element_type == DTYPES["uint8"],
            f"{describe_value(x)} would be LA or RGBA for Pillow, which has them in uint8"
            " alone",
        )
        return [with_layout(result, layout_of(x))]

    def source_map(self) -> SourceMap:
        sizes = zip(
            image_size("resize", tensor_of(self.operand)), ints(self.size), strict=True
        )
        return SourceMap(*(AxisMap(old / new) for old, new in sizes))


def resize_properties(x: AnyTensor, properties: Properties) -> Properties:
    """The properties of the `nn.resize` that a `pipe.resize` of `x` stands for."""
    return {"axes": int_array(image_axes("resize", x)), **properties}


def alpha_axis(x: AnyTensor, properties: Properties) -> int | None:
    """The channel axis if Pillow treats the last channel as alpha; else None."""
    layout = layout_of(x) or ""
    mode, like = (cast(StringAttr, properties[k]).data for k in ("mode", "like"))
    if like != "pillow" or mode == "nearest" or "C" not in layout:
        return None
    axis = layout.index("C")
    return axis if x.get_shape()[axis] in (2, 4) else None


OPS: Sequence[type[IRDLOperation]] = (ResizeOp,)
