"""Steps that interpolate images: affine warps, grid sampling, crops of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    flag_of,
    float_of,
    floats,
    int_of,
    ints,
    require,
    text_of,
)
from devproc.dialects.pipe.base.layout import (
    describe_value,
    image_size,
    layout_of,
    require_value,
    with_layout,
)
from devproc.dialects.pipe.base.step import PipeOp, UnaryStep
from devproc.dialects.pipe.crop import with_size
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

AFFINE_LIKES = {
    "opencv": ("constant", "edge"),
    "pillow": ("constant",),
    "torchvision": ("constant",),
}
"""Reference library -> its padding modes."""

AFFINE_MODES = ("nearest", "bilinear")

GRID_MODES = ("bilinear", "nearest", "bicubic")
GRID_PADDINGS = ("zeros", "border", "reflection")
"""PyTorch's names of interpolation and padding modes, in the order of its numbers."""

BOX_LIKES = ("torchvision", "tensorflow", "pytorch")

PILLOW_LIMIT = 32768
"""The limit of positions in Pillow's fixed point."""


def _require_pixels(step: str, x: AnyTensor) -> None:
    require(
        min(image_size(step, x)) >= 1,
        f"{step} reads the pixels of an image, got {describe_value(x)}",
    )


@op_definition
class AffineOp(UnaryStep):
    """An image under [a b c; d e f], with the coordinates and the rounding of a library.

    Positions are (x, y) with pixel centres at integers or, for Pillow, at halves.
    `like "opencv"`: `cv2.warpAffine` of OpenCV 5, the matrix maps the image to the
    result. `like "pillow"`: `Image.transform`, it maps the result to the image.
    `like "torchvision"`: the matrix of its `affine_grid`, it maps the result to the
    image, both relative to their centres. Pixels outside of the image are `value`, or
    with `border "edge"` the nearest pixel.

    ```mlir
    %r = pipe.affine %x by [1.0, 0.5, 0.0, 0.0, 1.0, 2.0] to [4, 6] mode "bilinear"
         like "opencv" border "constant" value 0.000000e+00 : f64
       : (tensor<5x7xui8, #pipe.axes<"HW">>) -> tensor<4x6xui8, #pipe.axes<"HW">>
    ```
    """

    name = "pipe.affine"

    matrix = prop_def(DenseArrayBase)
    size = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)
    border = prop_def(StringAttr)
    value = prop_def(FloatAttr)

    assembly_format = (
        "$operand `by` custom<Floats>($matrix) `to` custom<Ints>($size)"
        " `mode` custom<Text>($mode) `like` custom<Text>($like)"
        " `border` custom<Text>($border) `value` $value attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, size = operands[0], ints(properties["size"])
        result = with_size("affine", x, size)
        _require_pixels("affine", x)
        require(
            x.element_type in (DTYPES["uint8"], DTYPES["float32"]),
            f"affine takes uint8 or float32, got {describe_value(x)}",
        )
        mode = text_of("mode", properties["mode"], AFFINE_MODES)
        like = text_of("like", properties["like"], AFFINE_LIKES)
        value = float_of(properties["value"])
        text_of("border", properties["border"], AFFINE_LIKES[like])
        require_value("affine", x, value)
        require(
            like != "torchvision" or value == 0,
            f"affine like torchvision has zeros outside of the image, not {value:g}",
        )
        matrix = floats(properties["matrix"])
        require(
            len(matrix) == 6 and all(isfinite(n) for n in matrix),
            f"a matrix has 2 rows of 3 finite numbers, got {list(matrix)}",
        )
        _require_pillow_range(matrix, size, (like, mode))
        return [result]


def _require_pillow_range(
    matrix: Sequence[float], size: Sequence[int], form: tuple[str, str]
) -> None:
    """Require positions that fit Pillow's fixed point, which finds nearest pixels."""
    far = max(
        abs(row[0] * x + row[1] * y + row[2])
        for row in (matrix[:3], matrix[3:])
        for x in (0, size[1])
        for y in (0, size[0])
    )
    require(
        form != ("pillow", "nearest") or far < PILLOW_LIMIT,
        f"the matrix leads to place {far:g}, which Pillow's fixed point does not have",
    )


@op_definition
class GridSampleOp(PipeOp):
    """An image sampled at computed positions (`torch.nn.functional.grid_sample`).

    `grid` is (batch, height, width, 2): x and y from -1 to 1.

    ```mlir
    %r = pipe.grid_sample %x at %g mode "bilinear" padding "zeros" align_corners 0
       : (tensor<1x3x5x7xf32, #pipe.axes<"NCHW">>, tensor<1x2x4x2xf32>)
       -> tensor<1x3x2x4xf32, #pipe.axes<"NCHW">>
    ```
    """

    name = "pipe.grid_sample"

    operand = operand_def(TensorType)
    grid = operand_def(TensorType)
    mode = prop_def(StringAttr)
    padding = prop_def(StringAttr)
    align_corners = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `at` $grid `mode` custom<Text>($mode) `padding` custom<Text>($padding)"
        " `align_corners` custom<Int>($align_corners) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, grid = operands
        text_of("mode", properties["mode"], GRID_MODES)
        text_of("padding", properties["padding"], GRID_PADDINGS)
        flag_of("align_corners", properties["align_corners"])
        require(
            layout_of(x) == "NCHW" and x.element_type == DTYPES["float32"],
            f"grid_sample reads a float32 image NCHW, got {describe_value(x)}",
        )
        _require_pixels("grid_sample", x)
        shape, places = x.get_shape(), grid.get_shape()
        require(
            grid.element_type == x.element_type
            and len(places) == 4
            and (places[0], places[-1]) == (shape[0], 2),
            f"a grid for {describe_value(x)} is float32 ({shape[0]}, height, width, 2), "
            f"got {describe(grid)}",
        )
        return [
            with_layout(
                tensor(x.element_type, [*shape[:2], *places[1:3]]), layout_of(x)
            )
        ]


@op_definition
class CropAndResizeOp(PipeOp):
    """Boxes of one image, each cropped and resized, as a batch (float32).

    `like "torchvision"`: `roi_align` with `aligned=True`; boxes are (x1, y1, x2, y2) in
    pixels from the image's edge, and each result pixel is the mean of `samples` x
    `samples` bilinear samples. `like "tensorflow"`: `tf.image.crop_and_resize`; boxes
    are (y1, x1, y2, x2) from 0 to 1, of pixel centres, and there is one sample.
    `like "pytorch"`: of uint8, `interpolate(mode="area")` of `image[y1:y2, x1:x2]`, the
    ends as integers clamped to the image; each result pixel is the mean of those it
    covers. Positions outside are 0, as is a box with NaN or without pixels.

    ```mlir
    %r = pipe.crop_and_resize %x at %b to [4, 4] samples 2 like "torchvision"
       : (tensor<5x7x3xf32, #pipe.axes<"HWC">>, tensor<9x4xf32>)
       -> tensor<9x4x4x3xf32, #pipe.axes<"NHWC">>
    ```
    """

    name = "pipe.crop_and_resize"

    operand = operand_def(TensorType)
    boxes = operand_def(TensorType)
    size = prop_def(DenseArrayBase)
    samples = prop_def(IntegerAttr)
    like = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `at` $boxes `to` custom<Ints>($size) `samples` custom<Int>($samples)"
        " `like` custom<Text>($like) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, boxes = operands
        like = text_of("like", properties["like"], BOX_LIKES)
        samples = int_of(properties["samples"])
        _require_pixels("crop_and_resize", x)
        layout = layout_of(x) or ""
        require(
            x.element_type in (DTYPES["uint8"], DTYPES["float32"])
            and ("N" not in layout or x.get_shape()[layout.index("N")] == 1),
            f"crop_and_resize takes one image, uint8 or float32, got {describe_value(x)}",
        )
        require(
            like != "pytorch" or x.element_type == DTYPES["uint8"],
            f"crop_and_resize like pytorch averages uint8, got {describe_value(x)}",
            "cut the boxes out of the bytes, and normalize what comes out",
        )
        require(
            boxes.element_type == DTYPES["float32"]
            and boxes.get_num_dims() == 2
            and boxes.get_shape()[1] == 4,
            f"boxes are float32 (count, 4), got {describe_value(boxes)}",
        )
        most = 64 if like == "torchvision" else 1
        require(
            1 <= samples <= most, f"{like} takes 1 to {most} samples, got {samples}"
        )
        cut = with_size("crop_and_resize", x, ints(properties["size"]))
        sizes = dict(zip(layout, cut.get_shape(), strict=True))
        sizes["N"] = boxes.get_shape()[0]
        layout = f"N{layout.replace('N', '')}"
        shape = [sizes[letter] for letter in layout]
        return [with_layout(tensor(DTYPES["float32"], shape), layout)]


OPS: Sequence[type[IRDLOperation]] = (AffineOp, CropAndResizeOp, GridSampleOp)
