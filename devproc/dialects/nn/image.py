"""Image ops that name the library they must equal."""

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
from xdsl.ir import Attribute, SSAValue
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
    int_attr,
    int_of,
    ints,
    require,
)
from devproc.dialects.nn.filters import (
    LIKE_MODES,
    RESIZE_LIKES,
    RESIZE_MODES,
    tap_count,
    vertical_first,
)
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, tensor, tensor_of


def _require_filter(mode: StringAttr, like: StringAttr) -> None:
    require(
        mode.data in RESIZE_MODES,
        f"unknown resize mode '{mode.data}'; one of {', '.join(RESIZE_MODES)}",
    )
    require(
        like.data in RESIZE_LIKES,
        f"unknown reference '{like.data}'; one of {', '.join(RESIZE_LIKES)}",
    )
    require(
        mode.data in LIKE_MODES[like.data],
        f"{like.data} has no resize mode '{mode.data}'; "
        f"one of {', '.join(LIKE_MODES[like.data])}",
    )


RESAMPLE_DTYPES = (
    ("uint8", "int32"),
    ("float32", "float64"),
    ("float32", "float32"),
    ("float64", "float64"),
)
"""dtypes of an image and of the taps that can weigh it."""

TAP_DTYPES = {"pillow": ("int32", "float64"), "torchvision": ("float32",)}
"""Reference library -> dtypes of its tap weights (int32 is for uint8 images)."""


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


@irdl_op_definition
class ResizeOp(NNOp):
    """Resizes two axes of an image, equal to the named library.

    `like = "pillow"`: `Image.resize` of Pillow, always antialiased; bit-exact for uint8
    (8-bit fixed point, the passes in the order of Pillow 13). `like = "torchvision"`: the float path,
    `torch.nn.functional.interpolate(antialias=True)`. Channels are resized each on its
    own.

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
        _require_filter(mode, like)
        _require_image_axes(operands[0], axes, size)
        element = operands[0].element_type
        require(
            element in (DTYPES["uint8"], DTYPES["float32"]),
            f"nn.resize takes uint8 or float32, got {describe(operands[0])}",
        )
        require(
            like.data != "torchvision" or element == DTYPES["float32"],
            f'like "torchvision" resizes float32, got {describe(operands[0])}',
        )
        for axis, new in zip(axes, size, strict=True):
            shape[axis] = new
        return [tensor(element, shape)]

    def passes(self) -> list[tuple[int, int]]:
        """Axis and new size of each one-dimensional pass, in the library's order.

        An axis that keeps its size is left alone.
        """
        shape = tensor_of(self.operand).get_shape()
        (height, width), size = ints(self.axes), ints(self.size)
        old = (shape[height], shape[width])
        both = [(width, size[1]), (height, size[0])]
        if vertical_first(old, (size[0], size[1]), self.like.data):
            both.reverse()
        return [(axis, new) for axis, new in both if shape[axis] != new]


@irdl_op_definition
class ResampleTapsOp(NNOp):
    """The tap table of a separable resampling filter for one axis.

    Results: the first input index of each output (int32, `(out,)`) and the weights
    (`(out, taps)`): int32 with 22 fractional bits for uint8 images, float64 or float32
    for float images, as the named library computes them. A window that reaches the end
    of the input is moved back and its table row filled with zeros in front.

    ```mlir
    %first, %taps = nn.resample_taps 480 to 224 mode "bilinear" like "pillow" as "int32"
       : tensor<224xi32>, tensor<224x5xi32>
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
        "custom<Int>($in_size) `to` custom<Int>($out_size) `mode` custom<Text>($mode)"
        " `like` custom<Text>($like) `as` custom<Text>($dtype) attr-dict"
        " `:` type($outputs)"
    )

    custom_directives = (Int, Text)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        mode, like = properties["mode"], properties["like"]
        dtype = properties["dtype"]
        assert isinstance(mode, StringAttr)
        assert isinstance(like, StringAttr)
        assert isinstance(dtype, StringAttr)
        in_size, out_size = (int_of(properties[k]) for k in ("in_size", "out_size"))
        require(in_size >= 1 and out_size >= 1, "sizes must be positive")
        _require_filter(mode, like)
        require(
            dtype.data in TAP_DTYPES[like.data],
            f"taps like {like.data} are {' or '.join(TAP_DTYPES[like.data])},"
            f" not {dtype.data}",
        )
        taps = tap_count(in_size, out_size, mode.data, like.data)
        return [tensor("int32", [out_size]), tensor(dtype.data, [out_size, taps])]

    @classmethod
    def table(
        cls, in_size: int, out_size: int, mode: str, like: str, dtype: str
    ) -> ResampleTapsOp:
        """The table for one axis."""
        properties: dict[str, Attribute] = {
            "in_size": int_attr(in_size),
            "out_size": int_attr(out_size),
            "mode": StringAttr(mode),
            "like": StringAttr(like),
            "dtype": StringAttr(dtype),
        }
        return cls.build_op([], properties)


@irdl_op_definition
class ResampleOp(NNOp):
    """Weighted sum of neighbours along one axis:
    result[.., o, ..] = sum over t of taps[o, t] * operand[.., first[o] + t, ..].

    A primitive because as a matrix product nearly all of its factors would be zeros.

    uint8 with int32 taps rounds with 22 fractional bits and clips to 0..255 (Pillow's
    8-bit path); float32 with float64 taps sums in float64 (Pillow's mode F); otherwise
    the sum has the dtype of both. A tap that is NaN is absent: windows differ in width,
    and an infinite neighbour outside of one must not count.

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
            in RESAMPLE_DTYPES,
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

    @classmethod
    def along(
        cls, operand: SSAValue, first: SSAValue, taps: SSAValue, axis: int
    ) -> ResampleOp:
        """`operand` resampled along `axis`."""
        return cls.build_op([operand, first, taps], {"axis": int_attr(axis)})


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
        require(all(s != 0 for s in std), "std must not be zero")
        require(
            operands[0].element_type in (DTYPES["uint8"], DTYPES["float32"]),
            f"nn.normalize takes uint8 or float32, got {describe(operands[0])}",
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
