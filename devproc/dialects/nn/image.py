"""Image ops that name the library they must equal."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    IntegerAttr,
    StringAttr,
    TensorType,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import Pure

from devproc.dialects.directives import Floats, Int, Ints, Text
from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_of,
    ints,
    require,
)
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, tensor

RESIZE_MODES = ("nearest", "bilinear", "bicubic", "box", "hamming", "lanczos")
RESIZE_LIKES = ("pillow", "torchvision")


@irdl_op_definition
class ResizeOp(NNOp):
    """Resizes two axes of an image, equal to the named library.

    `like = "pillow"`: `Image.resize` of Pillow, always antialiased; bit-exact for uint8
    (8-bit fixed point, horizontal pass first). `like = "torchvision"`: the float path,
    `torch.nn.functional.interpolate(antialias=True)`.

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
        "$operand `axes` custom<Ints>($axes) `to` custom<Ints>($size) `mode` custom<Text>($mode) `like` custom<Text>($like) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (
        Ints,
        Text,
    )

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
        require(
            mode.data in RESIZE_MODES,
            f"unknown resize mode '{mode.data}'; one of {', '.join(RESIZE_MODES)}",
        )
        require(
            like.data in RESIZE_LIKES,
            f"unknown reference '{like.data}'; one of {', '.join(RESIZE_LIKES)}",
        )
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
            f"an empty image cannot be resized, got {describe(operands[0])}",
        )
        element = operands[0].element_type
        require(
            element in (DTYPES["uint8"], DTYPES["float32"]),
            f"nn.resize takes uint8 or float32, got {describe(operands[0])}",
        )
        for axis, new in zip(axes, size, strict=True):
            shape[axis] = new
        return [tensor(element, shape)]


@irdl_op_definition
class ResampleTapsOp(NNOp):
    """The tap table of a separable resampling filter for one axis.

    Results: the first input index of each output (int32, `(out,)`) and the weights
    (`(out, taps)`): int32 with 22 fractional bits for uint8 images, float64 or float32
    for float images, as the named library computes them.

    ```mlir
    %first, %taps = nn.resample_taps 480 to 224 mode "bilinear" like "pillow" as "int32"
       : tensor<224xi32>, tensor<224x6xi32>
    ```
    """

    name = "nn.resample_taps"

    in_size = prop_def(IntegerAttr)
    out_size = prop_def(IntegerAttr)
    mode = prop_def(StringAttr)
    like = prop_def(StringAttr)
    dtype = prop_def(StringAttr)
    outputs = var_result_def(TensorType)

    assembly_format = (
        "custom<Int>($in_size) `to` custom<Int>($out_size) `mode` custom<Text>($mode) `like` custom<Text>($like) `as` custom<Text>($dtype) attr-dict"
        " `:` type($outputs)"
    )

    custom_directives = (
        Int,
        Text,
    )

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        mode, dtype = properties["mode"], properties["dtype"]
        assert isinstance(mode, StringAttr)
        assert isinstance(dtype, StringAttr)
        in_size, out_size = (int_of(properties[k]) for k in ("in_size", "out_size"))
        require(in_size >= 1 and out_size >= 1, "sizes must be positive")
        require(mode.data in RESIZE_MODES, f"unknown resize mode '{mode.data}'")
        require(
            dtype.data in ("int32", "float32", "float64"),
            f"taps are int32, float32 or float64, not {dtype.data}",
        )
        taps = tap_count(in_size, out_size, mode.data)
        return [tensor("int32", [out_size]), tensor(dtype.data, [out_size, taps])]


FILTER_SUPPORT = {
    "nearest": 0.5,
    "box": 0.5,
    "bilinear": 1.0,
    "hamming": 1.0,
    "bicubic": 2.0,
    "lanczos": 3.0,
}
"""Half width of each filter at scale 1 (Pillow, `Resample.c`)."""


def tap_count(in_size: int, out_size: int, mode: str) -> int:
    """Taps of one output: the widest window, at most the input's size."""
    if mode == "nearest":
        return 1
    scale = max(in_size / out_size, 1.0)
    support = FILTER_SUPPORT[mode] * scale
    return min(int(-(-support // 1)) * 2 + 1, in_size)


@irdl_op_definition
class ResampleOp(NNOp):
    """Weighted sum of neighbours along one axis:
    result[.., o, ..] = sum over t of taps[o, t] * operand[.., first[o] + t, ..].

    uint8 with int32 taps rounds with 22 fractional bits and clips to 0..255 (Pillow's
    8-bit path); float32 with float64 taps sums in float64 (Pillow's mode F); float32
    with float32 taps sums in float32.

    ```mlir
    %r = nn.resample %x, %first, %taps axis 1
       : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
    ```
    """

    name = "nn.resample"

    operand = operand_def(TensorType)
    first = operand_def(TensorType)
    taps = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `,` $first `,` $taps `axis` custom<Int>($axis) attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, first, taps = operands
        shape, axis = list(x.get_shape()), int_of(properties["axis"])
        require(
            0 <= axis < len(shape), f"axis {axis} is out of range for rank {len(shape)}"
        )
        require(
            (dtype_name(x.element_type), dtype_name(taps.element_type))
            in (("uint8", "int32"), ("float32", "float64"), ("float32", "float32")),
            f"nn.resample cannot weigh {describe(x)} with {describe(taps)}",
        )
        require(
            first.element_type == DTYPES["int32"]
            and len(taps.get_shape()) == 2
            and first.get_shape() == taps.get_shape()[:1],
            f"{describe(first)} and {describe(taps)} are not one tap table",
        )
        require(
            taps.get_shape()[1] <= shape[axis],
            f"{taps.get_shape()[1]} taps do not fit {shape[axis]} elements",
        )
        shape[axis] = taps.get_shape()[0]
        return [tensor(x.element_type, shape)]


@irdl_op_definition
class NormalizeOp(NNOp):
    """(x * scale - mean) / std per channel in float32; uint8 is divided by 255 first
    (torchvision's `ToTensor` and `Normalize`).

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

    custom_directives = (
        Floats,
        Int,
    )

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
        require(all(s != 0 for s in std), "std must not be zero")
        require(
            operands[0].element_type in (DTYPES["uint8"], DTYPES["float32"]),
            f"nn.normalize takes uint8 or float32, got {describe(operands[0])}",
        )
        return [tensor("float32", shape)]


def _floats(attribute: object) -> tuple[float, ...]:
    assert isinstance(attribute, DenseArrayBase)
    require(
        attribute.elt_type == Float64Type(), "mean and std are float64 array attributes"
    )
    return tuple(float(v) for v in attribute.get_values())


OPS: Sequence[type[IRDLOperation]] = (
    NormalizeOp,
    ResampleOp,
    ResampleTapsOp,
    ResizeOp,
)
