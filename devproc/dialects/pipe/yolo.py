"""The heads of YOLO detectors: feature maps to boxes and scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    prop_def,
    result_def,
    var_operand_def,
)

from devproc.dialects.nn.base import Properties, int_of, ints, require, text_of
from devproc.dialects.pipe.base.layout import describe_value
from devproc.dialects.pipe.base.step import PipeOp
from devproc.dialects.pipe.boxes import numbers_of
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

VERSIONS = ("v5", "v8")


@op_definition
class DecodeYoloOp(PipeOp):
    """Corners in pixels of the model's input and scores (sigmoid) of all cells of all
    feature maps, as Ultralytics' `Detect` heads compute them.

    "v8": maps (b, 4 * bins + c, h, w); sides are expected values over the bins (see
    `pipe.decode_dfl`) from the centre of each cell. "v5": maps (b, a * (5 + c), h, w)
    with `anchors` (width, height) in pixels, a for each map; the scores are class times
    object, and cells are linear in (a, h, w).

    ```mlir
    %b, %s = pipe.decode_yolo %x, %y version "v8" strides [8, 16] bins 16 anchors []
      : (tensor<1x67x4x4xf32>, tensor<1x67x2x2xf32>)
      -> (tensor<1x20x4xf32>, tensor<1x20x3xf32>)
    ```
    """

    name = "pipe.decode_yolo"

    maps = var_operand_def(TensorType)
    version = prop_def(StringAttr)
    strides = prop_def(DenseArrayBase)
    bins = prop_def(IntegerAttr)
    anchors = prop_def(DenseArrayBase)
    boxes = result_def(TensorType)
    scores = result_def(TensorType)

    assembly_format = (
        "$maps `version` custom<Text>($version) `strides` custom<Ints>($strides)"
        " `bins` custom<Int>($bins) `anchors` custom<Floats>($anchors) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        strides = ints(properties["strides"])
        require(
            len(operands) == len(strides) > 0 and min(strides, default=0) > 0,
            f"decode_yolo takes a map for each stride, got {len(operands)} for"
            f" {list(strides)}",
        )
        shape = operands[0].get_shape()
        for x in operands:
            require(
                x.element_type == DTYPES["float32"]
                and len(x.get_shape()) == 4
                and x.get_shape()[:2] == shape[:2],
                f"maps are float32 (b, channels, h, w), got {describe_value(x)}",
            )
        places, classes = yolo_sizes(shape[1], properties, len(strides))
        count = sum(places * x.get_shape()[2] * x.get_shape()[3] for x in operands)
        return [tensor("float32", (shape[0], count, size)) for size in (4, classes)]


def yolo_sizes(channels: int, properties: Properties, maps: int) -> tuple[int, int]:
    """The number of boxes at each cell of a map, and of classes."""
    bins, anchors = int_of(properties["bins"]), properties["anchors"]
    count = len(cast(DenseArrayBase, anchors))
    version = text_of("version", properties["version"], VERSIONS)
    if version == "v8":
        classes = channels - 4 * bins
        require(
            bins > 0 and classes > 0 and not count,
            f"{channels} channels are not 4 * {bins} bins and at least one class"
            if not count
            else "version v8 has no anchors",
        )
        return 1, classes
    numbers_of("anchors", anchors, count)
    places = count // (2 * maps)
    require(
        places > 0
        and count == 2 * maps * places
        and channels % places == 0
        and channels // places > 5,
        f"{channels} channels are not 5 numbers and classes for each of {count // 2}"
        f" anchors (width, height) in {maps} maps",
    )
    return places, channels // places - 5


OPS: Sequence[type[IRDLOperation]] = (DecodeYoloOp,)
