"""Ops that slide a window over an image: convolution and pooling.

Images are NCHW and filters OIHW, as in PyTorch; with `layout "nhwc"`, which only the
compiler writes, channels come last in both: NHWC and HWIO.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    flag_of,
    int_of,
    ints,
    require,
    require_bias,
    require_factors,
)
from devproc.ir.directives import Int, Ints
from devproc.ir.dtypes import format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, product_type, tensor


def window_output_size(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool = False
) -> int:
    """The number of windows along one dimension (`pooling_output_shape` of PyTorch).

    In ceil mode the last window must start inside the input or its left padding.
    """
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil else 0)) // stride + 1
    if ceil and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def _require_pairs(properties: Properties, positive: Sequence[str]) -> None:
    for key in (*positive, "padding"):
        values = ints(properties[key])
        require(len(values) == 2, f"{key} needs two values, got {list(values)}")
        least = 0 if key == "padding" else 1
        require(
            all(v >= least for v in values),
            f"{key} must be at least {least}, got {list(values)}",
        )


FEW_CHANNELS = 4
"""The largest number of channels of camera images, whose pixels fill no vector."""

NHWC_TO_NCHW, HWIO_TO_OIHW = (0, 3, 1, 2), (3, 2, 0, 1)
"""The permutations to PyTorch's layouts."""


def is_nhwc(properties: Properties) -> bool:
    """Whether channels are the last dimension."""
    layout = properties.get("layout")
    require(
        layout is None or layout == StringAttr("nhwc"),
        f'the layout is "nhwc" or absent (NCHW), got {layout}',
    )
    return layout is not None


def image_shape(shape: Sequence[int], properties: Properties) -> tuple[int, ...]:
    """The shape of an image as (N, C, H, W)."""
    last = is_nhwc(properties)
    layout = "NHWC" if last else "NCHW"
    require(len(shape) == 4, f"the input must be {layout}, got {format_shape(shape)}")
    return tuple(shape[d] for d in (NHWC_TO_NCHW if last else range(4)))


def filter_shape(shape: Sequence[int], properties: Properties) -> tuple[int, ...]:
    """The shape of the filters as (O, I, H, W)."""
    last = is_nhwc(properties)
    layout = "HWIO" if last else "OIHW"
    require(len(shape) == 4, f"the weight must be {layout}, got {format_shape(shape)}")
    return tuple(shape[d] for d in (HWIO_TO_OIHW if last else range(4)))


def _image(
    element: Attribute, shape: Sequence[int], properties: Properties
) -> AnyTensor:
    """The type of a result of NCHW shape, in the op's layout."""
    n, c, h, w = shape
    wanted = (n, h, w, c) if is_nhwc(properties) else (n, c, h, w)
    return tensor(element, wanted)


@op_definition
class Conv2dOp(NNOp):
    """2-D cross-correlation, NCHW input and OIHW weight (`aten.conv2d`).

    A primitive because as windows and a matrix product it would store every window in
    memory.

    int8 operands give int32, with an int32 bias.

    ```mlir
    %r = nn.conv2d %x, %w bias %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
       : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
    ```
    """

    name = "nn.conv2d"

    input = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    stride = prop_def(DenseArrayBase)
    padding = prop_def(DenseArrayBase)
    dilation = prop_def(DenseArrayBase)
    groups = prop_def(IntegerAttr)
    layout = opt_prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$input `,` $weight (`bias` $bias^)? `stride` custom<Ints>($stride) `padding` custom<Ints>($padding)"
        " `dilation` custom<Ints>($dilation) `groups` custom<Int>($groups) (`layout` $layout^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int, Ints)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, weight = operands[:2]
        require_factors(cls.name, operands)
        require(not is_bool(x.element_type), "nn.conv2d does not take bool operands")
        _require_pairs(properties, ("stride", "dilation"))
        groups = int_of(properties["groups"])
        xs = image_shape(x.get_shape(), properties)
        ws = filter_shape(weight.get_shape(), properties)
        require(groups >= 1, f"groups must be at least 1, got {groups}")
        require(
            xs[1] == ws[1] * groups,
            f"the input has {xs[1]} channels, the weight expects {ws[1] * groups}",
        )
        require(
            ws[0] % groups == 0,
            f"{ws[0]} output channels do not divide into {groups} groups",
        )
        require_bias(operands[2:], ws[0])
        pads, strides = ints(properties["padding"]), ints(properties["stride"])
        dilations = ints(properties["dilation"])
        sizes = [
            window_output_size(xs[2 + i], ws[2 + i], strides[i], pads[i], dilations[i])
            for i in (0, 1)
        ]
        require(
            min(sizes) >= 1,
            f"the kernel {list(ws[2:])} does not fit the padded input {list(xs[2:])}",
        )
        shape = (xs[0], ws[0], *sizes)
        return [_image(product_type(x.element_type), shape, properties)]


class PoolOp(NNOp):
    """A reduction of each window of an image; padding does not affect the result."""

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    stride = prop_def(DenseArrayBase)
    padding = prop_def(DenseArrayBase)
    dilation = prop_def(DenseArrayBase)
    ceil_mode = prop_def(IntegerAttr)
    layout = opt_prop_def(StringAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$input `kernel` custom<Ints>($kernel) `stride` custom<Ints>($stride) `padding` custom<Ints>($padding)"
        " `dilation` custom<Ints>($dilation) `ceil` custom<Int>($ceil_mode) (`layout` $layout^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Int, Ints)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        require(not is_bool(x.element_type), f"{cls.name} does not take a bool operand")
        _require_pairs(properties, ("kernel", "stride", "dilation"))
        xs = image_shape(x.get_shape(), properties)
        kernel, pads = ints(properties["kernel"]), ints(properties["padding"])
        strides, dilations = ints(properties["stride"]), ints(properties["dilation"])
        ceil = flag_of("ceil", properties["ceil_mode"])
        require(
            all(2 * p <= k for p, k in zip(pads, kernel, strict=True)),
            f"padding {list(pads)} must be at most half of the kernel {list(kernel)}",
        )
        sizes = [
            window_output_size(
                xs[2 + i], kernel[i], strides[i], pads[i], dilations[i], ceil
            )
            for i in (0, 1)
        ]
        require(
            min(sizes) >= 1,
            f"the kernel {list(kernel)} does not fit the padded input {list(xs[2:])}",
        )
        return [_image(x.element_type, (*xs[:2], *sizes), properties)]


@op_definition
class MaxPool2dOp(PoolOp):
    """Maximum over each window, NCHW (`aten.max_pool2d`); NaN propagates.

    A primitive because as a gather and a maximum it would store every window in memory.

    ```mlir
    %r = nn.max_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0
       : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
    """

    name = "nn.max_pool2d"


@op_definition
class SumPool2dOp(PoolOp):
    """Sum over each window, NCHW; divided by the windows' sizes, `aten.avg_pool2d`.

    A primitive because as a gather and a sum it would store every window in memory.

    ```mlir
    %r = nn.sum_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0
       : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
    """

    name = "nn.sum_pool2d"


OPS: Sequence[type[IRDLOperation]] = (
    Conv2dOp,
    MaxPool2dOp,
    SumPool2dOp,
)
