"""Image ops that reproduce a named library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import NNOp, Properties, describe, int_of, ints, require
from devproc.dialects.nn.resampling.filters import LIKE_MODES, vertical_first
from devproc.dialects.nn.resampling.resample import (
    ResampleOp,
    ResampleTapsOp,
    require_filter,
)
from devproc.ir.directives import Floats, Int, Ints, Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, tensor, tensor_of


def _require_image_axes(
    image: AnyTensor, axes: Sequence[int], size: Sequence[int]
) -> None:
    shape = image.get_shape()
    require(
        len(axes) == 2 and len(size) == 2 and axes[0] != axes[1],
        "nn.resize needs the height and the width axis and two sizes",
    )
    require(
        all(0 <= a < len(shape) for a in axes),
        f"axes {list(axes)} are out of range for rank {len(shape)}",
    )
    require(all(s >= 1 for s in size), f"sizes must be positive, got {list(size)}")
    require(
        all(shape[a] >= 1 for a in axes),
        f"an empty image cannot be resized, got {describe(image)}",
    )


@op_definition
class ResizeOp(NNOp):
    """Resizes two axes of an image as the named library does.

    `like = "pillow"`: `Image.resize` of Pillow, always antialiased; bit-exact for uint8
    (8-bit fixed point, the passes in the order of Pillow 13). `like = "torchvision"`:
    `torch.nn.functional.interpolate` on the CPU, antialiased unless the mode disables
    it; bit-exact for uint8. Channels are resized independently.

    ```mlir
    %r = nn.resize %x axes [0, 1] to [8, 9] mode "bilinear" like "pillow"
       : (tensor<5x7x3xui8>) -> tensor<8x9x3xui8>
    ```
    """

    name = "nn.resize"

    operand = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    size = prop_def(DenseArrayBase)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axes` custom<Ints>($axes) `to` custom<Ints>($size)"
        " `mode` custom<Text>($mode) `like` custom<Text>($like) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Ints, Text)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape = list(operands[0].get_shape())
        axes, size = ints(properties["axes"]), ints(properties["size"])
        mode, like = properties["mode"], properties["like"]
        assert isinstance(mode, StringAttr)
        assert isinstance(like, StringAttr)
        require_filter(mode, like, LIKE_MODES)
        _require_image_axes(operands[0], axes, size)
        element = operands[0].element_type
        require(
            element in (DTYPES["uint8"], DTYPES["float32"]),
            f"nn.resize takes uint8 or float32, got {describe(operands[0])}",
        )
        for axis, new in zip(axes, size, strict=True):
            shape[axis] = new
        return [tensor(element, shape)]

    @property
    def tap_dtype(self) -> str:
        """The dtype of the weights."""
        if tensor_of(self.operand).element_type == DTYPES["uint8"]:
            return "int16" if self.like.data == "torchvision" else "int32"
        return "float32" if self.like.data == "torchvision" else "float64"

    def passes(self) -> list[tuple[int, int]]:
        """Axis and new size of each one-dimensional pass, in the library's order.

        An axis that keeps its size has no pass.
        """
        shape = tensor_of(self.operand).get_shape()
        (height, width), size = ints(self.axes), ints(self.size)
        old = (shape[height], shape[width])
        both = [(width, size[1]), (height, size[0])]
        if vertical_first(old, (size[0], size[1]), self.like.data):
            both.reverse()
        return [(axis, new) for axis, new in both if shape[axis] != new]


BRIGHTEST = {"uint8": 255.0, "uint16": 65535.0}
"""dtype of a pixel -> the value that maps to 1.0."""


@op_definition
class NormalizeOp(NNOp):
    """(x - mean) / std per channel in float32; uint8 is divided by 255 first (torchvision's
    `ToTensor` and `Normalize`), uint16 by 65535.

    ```mlir
    %r = nn.normalize %x axis 2 mean [0.5] std [0.25] : (tensor<4x4x1xui8>) -> tensor<4x4x1xf32>
    ```
    """

    name = "nn.normalize"

    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    mean = prop_def(DenseArrayBase)
    std = prop_def(DenseArrayBase)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `axis` custom<Int>($axis) `mean` custom<Floats>($mean) `std` custom<Floats>($std) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Floats, Int)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        shape, axis = operands[0].get_shape(), int_of(properties["axis"])
        mean, std = (_floats(properties[k]) for k in ("mean", "std"))
        require(
            -1 <= axis < len(shape),
            f"axis {axis} is out of range for rank {len(shape)}",
        )
        channels = 1 if axis == -1 else shape[axis]
        require(
            len(mean) == len(std) == channels,
            f"the image has {channels} channels, but mean has {len(mean)} values and "
            f"std {len(std)}",
        )
        require(
            0 not in std,
            f"std must not be zero, got {list(std)}",
            "give the standard deviation of each channel, 1 to leave a channel as it is",
        )
        require(
            dtype_name(operands[0].element_type) in (*BRIGHTEST, "float32"),
            f"nn.normalize takes {', '.join(BRIGHTEST)} or float32, "
            f"got {describe(operands[0])}",
        )
        return [tensor("float32", shape)]


def _floats(attribute: object) -> tuple[float, ...]:
    assert isinstance(attribute, DenseArrayBase)
    require(
        isinstance(cast(object, attribute.elt_type), Float64Type),
        "mean and std are float64 array attributes",
    )
    return tuple(float(v) for v in attribute.get_values())


OPS: Sequence[type[IRDLOperation]] = (
    NormalizeOp,
    ResampleOp,
    ResampleTapsOp,
    ResizeOp,
)
