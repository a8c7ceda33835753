"""Steps that move whole pixels: crops, padding, flips and quarter turns."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, StringAttr
from xdsl.irdl import IRDLOperation, prop_def

from devproc.dialects.nn.base import (
    Properties,
    float_of,
    int_array,
    int_of,
    ints,
    require,
    text_of,
)
from devproc.dialects.pipe.base.layout import (
    describe_value,
    image_axes,
    image_size,
    layout_of,
    require_value,
    with_layout,
)
from devproc.dialects.pipe.base.source_map import AxisMap, SourceMap
from devproc.dialects.pipe.base.step import UnaryStep
from devproc.dialects.pipe.geometry import ResizeOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, tensor, tensor_of

PAD_MODES = ("constant", "reflect", "edge")
"""Padding modes: one value, the image mirrored at its outermost pixels (which are not
repeated), the outermost pixels."""

DIRECTIONS = ("horizontal", "vertical")
"""Left becomes right; top becomes bottom."""


def with_size(step: str, x: AnyTensor, size: Sequence[int]) -> AnyTensor:
    """The type of an image with another height and width."""
    shape = list(x.get_shape())
    require(len(size) == 2, f"{step} needs a height and a width, got {list(size)}")
    require(
        min(size) >= 1, f"the height and width of {step} must be positive: {list(size)}"
    )
    for axis, new in zip(image_axes(step, x), size, strict=True):
        shape[axis] = new
    return with_layout(tensor(x.element_type, shape), layout_of(x))


@op_definition
class CropOp(UnaryStep):
    """`size` (height, width) pixels of an image from `from` (top, left) on.

    ```mlir
    %r = pipe.crop %x from [1, 2] size [3, 4]
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<3x4x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.crop"

    offset = prop_def(DenseArrayBase)
    size = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `from` custom<Ints>($offset) `size` custom<Ints>($size) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, offset = operands[0], ints(properties["offset"])
        size = ints(properties["size"])
        result = with_size("crop", x, size)
        whole = image_size("crop", x)
        require(len(offset) == 2, f"crop needs a top and a left, got {list(offset)}")
        require(
            all(
                0 <= first and first + count <= n
                for first, count, n in zip(offset, size, whole, strict=True)
            ),
            f"the crop {list(size)} at {list(offset)} reaches out of "
            f"{describe_value(x)}",
        )
        return [result]

    def source_map(self) -> SourceMap:
        top, left = ints(self.offset)
        return SourceMap(AxisMap(1, top), AxisMap(1, left))


@op_definition
class CenterCropOp(UnaryStep):
    """The middle of an image, by torchvision's rounding; zeros where it is smaller.

    ```mlir
    %r = pipe.center_crop %x size [3, 9]
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<3x9x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.center_crop"

    size = prop_def(DenseArrayBase)

    assembly_format = (
        "$operand `size` custom<Ints>($size) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        return [with_size("center_crop", operands[0], ints(properties["size"]))]

    def plan(self) -> tuple[tuple[int, int, int], ...]:
        """(zeros before, zeros after, first pixel after padding) of each axis."""
        whole = image_size("center_crop", tensor_of(self.operand))
        return tuple(
            ((size - n) // 2, (size - n + 1) // 2, 0)
            if size > n
            # Half pixels are rounded to even, as in Python.
            else (0, 0, round((n - size) / 2))
            for size, n in zip(ints(self.size), whole, strict=True)
        )

    def source_map(self) -> SourceMap:
        return SourceMap(*(AxisMap(1, first - low) for low, _, first in self.plan()))


@op_definition
class PadOp(UnaryStep):
    """Pads an image by [left, top, right, bottom] pixels (see `PAD_MODES`).

    ```mlir
    %r = pipe.pad %x by [1, 0, 1, 2] mode "constant" value 1.140000e+02 : f64
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<7x9x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.pad"

    padding = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr)
    value = prop_def(FloatAttr)

    assembly_format = (
        "$operand `by` custom<Ints>($padding) `mode` custom<Text>($mode) `value` $value"
        " attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, padding = operands[0], ints(properties["padding"])
        require(
            len(padding) == 4 and min(padding) >= 0,
            "pad needs (left, top, right, bottom), none of them negative, got "
            f"{list(padding)}",
        )
        mode = text_of("pad mode", properties["mode"], PAD_MODES)
        left, top, right, bottom = padding
        height, width = image_size("pad", x)
        # Reflection excludes the outermost pixel.
        for low, high, n in ((top, bottom, height), (left, right, width)):
            most = {"constant": low + high, "reflect": n - 1, "edge": n and low + high}
            require(
                max(low, high) <= most[mode],
                f"{describe_value(x)} has not enough pixels for a border of "
                f"{max(low, high)} in mode '{mode}'",
            )
        require_value("pad", x, float_of(properties["value"]))
        size = (height + top + bottom, width + left + right)
        return [with_size("pad", x, size)]

    def source_map(self) -> SourceMap:
        left, top, _, _ = ints(self.padding)
        return SourceMap(AxisMap(1, -top), AxisMap(1, -left))


@op_definition
class LetterboxOp(UnaryStep):
    """Resizes an image to fit into `to`, keeping its aspect ratio, and pads it with one
    value (Ultralytics' `LetterBox`).

    ```mlir
    %r = pipe.letterbox %x to [8, 8] value 1.140000e+02 : f64 mode "bilinear" like "pillow"
       : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<8x8x3xui8, #pipe.axes<"HWC">>
    ```
    """

    name = "pipe.letterbox"

    size = prop_def(DenseArrayBase)
    value = prop_def(FloatAttr)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)

    assembly_format = (
        "$operand `to` custom<Ints>($size) `value` $value `mode` custom<Text>($mode)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, size = operands[0], ints(properties["size"])
        result = with_size("letterbox", x, size)
        require(
            min(image_size("letterbox", x)) >= 1,
            f"cannot letterbox an empty image, got {describe_value(x)}",
        )
        require_value("letterbox", x, float_of(properties["value"]))
        ResizeOp.infer(operands, letterbox_resize(x, properties))
        return [result]

    def source_map(self) -> SourceMap:
        x = tensor_of(self.operand)
        inner, border = letterbox_plan(x, self.properties)
        axes = zip(image_size("letterbox", x), inner, border, strict=True)
        return SourceMap(*(AxisMap(n / m, -low * n / m) for n, m, (low, _) in axes))


def letterbox_plan(
    x: AnyTensor, properties: Properties
) -> tuple[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]]:
    """(height, width) of the resized image, and the padding before and after each."""
    size, whole = ints(properties["size"]), image_size("letterbox", x)
    ratio = min(new / n for new, n in zip(size, whole, strict=True))
    height, width = (max(round(n * ratio), 1) for n in whole)
    rest = (size[0] - height) / 2, (size[1] - width) / 2
    top, left = ((round(r - 0.1), round(r + 0.1)) for r in rest)
    return (height, width), (top, left)


def letterbox_resize(x: AnyTensor, properties: Properties) -> Properties:
    """The properties of the `pipe.resize` that is part of a `pipe.letterbox` of `x`."""
    inner, _ = letterbox_plan(x, properties)
    kept = {name: properties[name] for name in ("mode", "like")}
    return {"size": int_array(inner), **kept}


@op_definition
class FlipOp(UnaryStep):
    """Flips an image left to right ("horizontal") or top to bottom ("vertical").

    ```mlir
    %r = pipe.flip %x direction "horizontal"
       : (tensor<5x7xf32, #pipe.axes<"HW">>) -> tensor<5x7xf32, #pipe.axes<"HW">>
    ```
    """

    name = "pipe.flip"

    direction = prop_def(StringAttr)

    assembly_format = (
        "$operand `direction` custom<Text>($direction) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        text_of("direction", properties["direction"], DIRECTIONS)
        image_axes("flip", operands[0])
        return [operands[0]]

    def source_map(self) -> SourceMap:
        height, width = image_size("flip", tensor_of(self.operand))
        if self.direction.data == "vertical":
            return SourceMap(vertical=AxisMap(-1, height))
        return SourceMap(horizontal=AxisMap(-1, width))


@op_definition
class RotateOp(UnaryStep):
    """Counterclockwise quarter turns (`numpy.rot90`).

    ```mlir
    %r = pipe.rotate %x turns 1
       : (tensor<5x7xf32, #pipe.axes<"HW">>) -> tensor<7x5xf32, #pipe.axes<"HW">>
    ```
    """

    name = "pipe.rotate"

    turns = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `turns` custom<Int>($turns) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, shape = operands[0], list(operands[0].get_shape())
        height, width = image_axes("rotate", x)
        if int_of(properties["turns"]) % 2:
            shape[height], shape[width] = shape[width], shape[height]
        return [with_layout(tensor(x.element_type, shape), layout_of(x))]

    def source_map(self) -> SourceMap | None:
        height, width = image_size("rotate", tensor_of(self.operand))
        turned = SourceMap(AxisMap(-1, height), AxisMap(-1, width))
        return {0: SourceMap(), 2: turned}.get(int_of(self.turns) % 4)


OPS: Sequence[type[IRDLOperation]] = (
    CenterCropOp,
    CropOp,
    FlipOp,
    LetterboxOp,
    PadOp,
    RotateOp,
)
