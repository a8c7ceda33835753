"""Steps between colour spaces: channel orders, gray, alpha, and camera YUV."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn.base import Properties, require, text_of
from devproc.dialects.pipe.base.layout import (
    describe_value,
    image_axes,
    image_size,
    layout_of,
    with_layout,
)
from devproc.dialects.pipe.base.step import PixelwiseOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

SPACES = {"RGB": "RGB", "BGR": "BGR", "GRAY": "Y", "RGBA": "RGBA", "BGRA": "BGRA"}
"""Name -> its channels; Y is brightness, A opacity."""

COLOR_DTYPES = {"opencv": ("uint8", "uint16", "float32"), "pillow": ("uint8",)}
"""Reference library -> the dtypes that it converts."""

YUV_FORMATS = ("NV12", "NV21", "I420", "YUYV")
"""Memory layouts of YUV frames, with one colour for 2x2 pixels (YUYV: 2x1)."""

MATRICES = ("bt601", "bt709")
"""The ITU-R standards that define U and V."""

RANGES = ("limited", "full")
"""Whether black and white are 16 and 235, or 0 and 255."""

YUV_LIKES = ("opencv", "itu")
"""`cv2.cvtColor`, which knows limited bt601 alone; the standard's formula, rounded."""


@op_definition
class ColorOp(PixelwiseOp):
    """Reorders channels, and converts to and from gray, as the named library does.

    Gray is 0.299 R + 0.587 G + 0.114 B: of uint8 and uint16 like OpenCV with 15
    fractional bits, like Pillow with 16. A new alpha is opaque. A result always has an
    axis C, which for GRAY has size 1; a gray operand need not have it.

    ```mlir
    %r = pipe.color %x from "RGB" to "GRAY" like "opencv"
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x1xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.color"

    source = prop_def(StringAttr)
    target = prop_def(StringAttr)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Text>($source) `to` custom<Text>($target)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, layout = operands[0], layout_of(operands[0]) or ""
        like = text_of("like", properties["like"], COLOR_DTYPES)
        source = text_of("source", properties["source"], SPACES)
        target = text_of("target", properties["target"], SPACES)
        require(
            x.element_type in [DTYPES[dtype] for dtype in COLOR_DTYPES[like]],
            f"{like} converts {' or '.join(COLOR_DTYPES[like])}, got {describe_value(x)}",
        )
        image_axes("color", x)
        shape = list(x.get_shape())
        if "C" not in layout and source == "GRAY":
            layout, shape = f"{layout}C", [*shape, 1]
        require(
            "C" in layout and shape[layout.index("C")] == len(SPACES[source]),
            f"{source} has {len(SPACES[source])} channels, got {describe_value(x)}",
        )
        shape[layout.index("C")] = len(SPACES[target])
        return [with_layout(tensor(x.element_type, shape), layout)]


@op_definition
class YuvOp(PixelwiseOp):
    """Converts a camera's YUV frame to RGB or BGR, as the named reference does.

    NV12 is height * 3 / 2 rows: Y, then half as many rows of interleaved U and V; NV21
    has V before U, I420 all of U before all of V. YUYV has two channels: Y, and
    alternating U and V. Sizes must be even.

    ```mlir
    %r = pipe.yuv %x from "NV12" to "RGB" matrix "bt601" range "limited" like "opencv"
       : (tensor<6x4xui8, #pipe.axes<"HW">>) -> tensor<4x4x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.yuv"

    source = prop_def(StringAttr)
    target = prop_def(StringAttr)
    matrix = prop_def(StringAttr)
    range = prop_def(StringAttr)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `from` custom<Text>($source) `to` custom<Text>($target)"
        " `matrix` custom<Text>($matrix) `range` custom<Text>($range)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, layout = operands[0], layout_of(operands[0]) or ""
        source = text_of("source", properties["source"], YUV_FORMATS)
        text_of("target", properties["target"], ("RGB", "BGR"))
        matrix = text_of("matrix", properties["matrix"], MATRICES)
        range_ = text_of("range", properties["range"], RANGES)
        like = text_of("like", properties["like"], YUV_LIKES)
        require(
            like != "opencv" or (matrix, range_) == ("bt601", "limited"),
            f"OpenCV has no conversion of {range_} {matrix}, only of limited bt601; "
            "like 'itu' has",
        )
        wanted = "HWC" if source == "YUYV" else "HW"
        require(
            layout.removeprefix("N") == wanted and x.element_type == DTYPES["uint8"],
            f"{source} is uint8 with layout {wanted} or N{wanted}, got "
            f"{describe_value(x)}",
        )
        shape = list(x.get_shape())
        height, width = image_size("yuv", x)
        if source == "YUYV":
            fits = width % 2 == 0 and shape.pop() == 2
        else:
            fits, shape[-2] = height % 3 == 0 and width % 2 == 0, height * 2 // 3
        require(fits, f"{describe_value(x)} is no {source} frame of an even size")
        layout = f"{layout.removesuffix('C')}C"
        return [with_layout(tensor(x.element_type, [*shape, 3]), layout)]


OPS: Sequence[type[IRDLOperation]] = (ColorOp, YuvOp)
