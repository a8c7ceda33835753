"""Resampling along one axis: the table of taps, and the sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    describe,
    int_attr,
    int_of,
    require,
    require_one_of,
    text_of,
)
from devproc.dialects.nn.resampling.filters import (
    TAP_MODES,
    read_rows,
    tap_count,
    windows,
)
from devproc.ir.directives import Int, Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, tensor


def require_filter(
    mode: StringAttr, like: StringAttr, known: Mapping[str, Sequence[str]]
) -> None:
    """Require a known library and one of its modes."""
    text_of("reference", like, known)
    problem = f"{like.data} has no resize mode '{mode.data}'"
    require_one_of(problem, mode.data, known[like.data])


FRACTION_BITS = 22
"""Fractional bits of Pillow's 8-bit weights: 32 - 8 for the pixel - 2 for overshoot."""

RESAMPLE_DTYPES = (
    ("uint8", "int16"),
    ("uint8", "int32"),
    ("float32", "float64"),
    ("float32", "float32"),
    ("float64", "float64"),
)
"""Supported pairs of the dtypes of an image and of its taps."""

SUM_DTYPES = (
    ("uint8", "int32"),
    ("int32", "int32"),
    ("uint8", "float32"),
    ("float32", "float32"),
)
"""The supported pairs if the result is the sum itself."""

TAP_DTYPES = {
    "pillow": ("int32", "float64"),
    "torchvision": ("int16", "float32"),
    "opencv": ("int32", "float32"),
}
"""Reference library -> dtypes of its tap weights (integers are for uint8 images)."""


def _table_types(properties: Properties) -> Sequence[AnyTensor]:
    """The results of `nn.resample_taps`."""
    mode, like = properties["mode"], properties["like"]
    dtype = properties["dtype"]
    assert isinstance(mode, StringAttr)
    assert isinstance(like, StringAttr)
    assert isinstance(dtype, StringAttr)
    in_size, out_size = (int_of(properties[k]) for k in ("in_size", "out_size"))
    require(in_size >= 1 and out_size >= 1, "sizes must be positive")
    require_filter(mode, like, TAP_MODES)
    require(
        dtype.data in TAP_DTYPES[like.data],
        f"taps like {like.data} are {' or '.join(TAP_DTYPES[like.data])},"
        f" not {dtype.data}",
    )
    require(
        mode.data != "area" or in_size >= out_size,
        f"mode 'area' is for images that shrink, not for {in_size} to {out_size}",
    )
    form = (in_size, out_size, mode.data, like.data, dtype.data)
    if "compact" not in properties:
        taps, rows = tap_count(*form), []
    else:
        taps = max(count for _, count in windows(*form))
        if like.data != "opencv":
            taps = min(taps, in_size)
        rows = [tensor("int32", [len(read_rows(*form)[0])])]
    weights = tensor(dtype.data, [out_size, taps])
    return [tensor("int32", [out_size]), weights, *rows]


def _resampled_type(operands: Sequence[AnyTensor], properties: Properties) -> AnyTensor:
    """The result of `nn.resample`."""
    x, first, taps, *rows = operands
    shape, axis = list(x.get_shape()), int_of(properties["axis"])
    require(
        0 <= axis < len(shape), f"axis {axis} is out of range for rank {len(shape)}"
    )
    is_sum = "sum" in properties
    known = SUM_DTYPES if is_sum else RESAMPLE_DTYPES
    dtypes = (dtype_name(x.element_type), dtype_name(taps.element_type))
    require(
        dtypes in known,
        f"nn.resample cannot weigh {describe(x)} with {describe(taps)}",
    )
    shift = int_of(properties.get("product_shift", int_attr(0)))
    require(
        shift == 0 or (is_sum and dtypes[1] == "int32" and 0 < shift < 32),
        f"product_shift {shift} is for a sum of int32, below 32 bits",
    )
    bits = int_of(properties.get("fraction_bits", int_attr(FRACTION_BITS)))
    require(
        "fraction_bits" not in properties
        or (not is_sum and dtypes[0] == "uint8" and 0 < bits <= FRACTION_BITS),
        f"fraction_bits {bits} is for rounded uint8, from 1 to {FRACTION_BITS}",
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
    require(bool(rows) == ("row_axis" in properties), "row_axis goes with rows")
    if rows:
        row_axis = int_of(properties["row_axis"])
        require(
            0 <= row_axis < len(shape) and row_axis != axis,
            f"row_axis {row_axis} is no other axis of {describe(x)}",
        )
        require(
            rows[0].element_type == DTYPES["int32"] and len(rows[0].get_shape()) == 1,
            f"rows must be a line of int32, got {describe(rows[0])}",
        )
        shape[row_axis] = rows[0].get_shape()[0]
    return tensor((taps if is_sum else x).element_type, shape)


@op_definition
class ResampleTapsOp(NNOp):
    """The tap table of a separable resampling filter for one axis.

    Results: the first input index of each output (int32, `(out,)`) and the weights
    (`(out, taps)`): for uint8 images int32 with 22 fractional bits like Pillow (11 like
    OpenCV, 0 for its areas) or int16 with as many as fit like torchvision, for float
    images float64 or float32, as the named library computes them. A window that exceeds
    the end of the input is moved back, and its table row is padded with zeros in front.

    `compact` adds the list of the inputs that occur in any window (int32), and windows
    then begin at an index of that list: a resampling along the other axis only has to
    compute these (`rows` of `nn.resample`). The list repeats edge elements as often as
    a window of OpenCV does.

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
    compact = opt_prop_def(UnitAttr)
    outputs = var_result_def(TensorType)

    assembly_format = (
        "custom<Int>($in_size) `to` custom<Int>($out_size) `mode` custom<Text>($mode)"
        " `like` custom<Text>($like) `as` custom<Text>($dtype) (`compact` $compact^)?"
        " attr-dict `:` type($outputs)"
    )

    custom_directives = (Int, Text)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        return _table_types(properties)

    @classmethod
    def table(
        cls,
        in_size: int,
        out_size: int,
        mode: str,
        like: str,
        dtype: str,
        compact: bool = False,
    ) -> ResampleTapsOp:
        """The table for one axis."""
        properties: dict[str, Attribute] = {
            **({"compact": UnitAttr()} if compact else {}),
            "in_size": int_attr(in_size),
            "out_size": int_attr(out_size),
            "mode": StringAttr(mode),
            "like": StringAttr(like),
            "dtype": StringAttr(dtype),
        }
        return cls.build_op([], properties)


@op_definition
class ResampleOp(NNOp):
    """Weighted sum of neighbours along one axis:
    result[.., o, ..] = sum over t of taps[o, t] * operand[.., first[o] + t, ..].

    A primitive because as a matrix product nearly all of its factors would be zeros.

    uint8 with integer taps sums in int32, rounds off `fraction_bits` bits (default 22)
    and clips to 0..255 (Pillow's 8-bit path); float32 with float64 taps sums in float64
    (Pillow's mode F); otherwise the sum has the dtype of both. A NaN tap is skipped:
    windows differ in width, and an infinite neighbour outside of one must not
    contribute.

    With `sum` the result is the sum itself, in the dtype of the taps; each product is
    then shifted right by `product_shift` bits before it is added. With `rows` the
    result has only these rows, in this order, along `row_axis`.

    ```mlir
    %r = nn.resample %x, %first, %taps rows %rows axis 1 sum {row_axis = 0}
       : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>, tensor<2xi32>) -> tensor<2x9xi32>
    ```
    """

    name = "nn.resample"

    operand = operand_def(TensorType)
    first = operand_def(TensorType)
    taps = operand_def(TensorType)
    rows = opt_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    sum = opt_prop_def(UnitAttr)
    product_shift = opt_prop_def(IntegerAttr)
    fraction_bits = opt_prop_def(IntegerAttr)
    row_axis = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `,` $first `,` $taps (`rows` $rows^)? `axis` custom<Int>($axis)"
        " (`sum` $sum^)? attr-dict `:` functional-type(operands, results)"
    )

    irdl_options = (ParsePropInAttrDict(),)

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        return [_resampled_type(operands, properties)]

    @property
    def rounded_bits(self) -> int:
        """Fractional bits of integer taps."""
        bits = self.fraction_bits
        return FRACTION_BITS if bits is None else int_of(bits)

    @classmethod
    def along(
        cls,
        operand: SSAValue,
        first: SSAValue,
        taps: SSAValue,
        axis: int,
        rows: tuple[SSAValue, int] | None = None,
        more: Properties | None = None,
    ) -> ResampleOp:
        """`operand` resampled along `axis`, optionally only some `rows` of another."""
        operands = [operand, first, taps]
        properties: dict[str, Attribute] = {"axis": int_attr(axis), **(more or {})}
        if rows is not None:
            operands.append(rows[0])
            properties["row_axis"] = int_attr(rows[1])
        return cls.build_op(operands, properties)
