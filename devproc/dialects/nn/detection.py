"""Ops that select boxes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    IntegerAttr,
    TensorType,
    f64,
)
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
    describe,
    flag_of,
    int_attr,
    int_of,
    require,
)
from devproc.ir.directives import Floats, Int
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

MOST_CANDIDATES = 1 << 31
"""Maximum pairs of box and class of an image: an index is 32 bits of a key."""


@op_definition
class NmsOp(NNOp):
    """Greedy non-maximum suppression of each image: the indices of the kept scores, in
    descending order of score, and their count (`torchvision.ops.nms`, and `batched_nms`
    without its offsets of boxes).

    A primitive because whether a box is kept depends on all boxes kept before it, which
    no composition of other ops expresses.

    Scores (b, n, c) that exceed the second threshold are visited in descending order,
    equal ones in index order; NaN never exceeds it. A score is kept unless its box
    overlaps the box of a kept score of the same class by more than the first threshold.
    The overlap is intersection / (area + area - intersection) in float32, compared in
    float64; with `iom` 1 it is intersection / (the smaller area). The class is the
    index along c, or the number in `classes` (b, n, c); with `agnostic` 1 all have one
    class. Boxes (b, n, k, 4) are (x1, y1, x2, y2), one for all classes (k = 1) or one
    for each (k = c).

    The result indices (b, max_n) are linear in (n, c), and -1 from the count on. At
    most max_n scores are kept, the highest ones.

    ```mlir
    %i, %n = nn.nms %boxes, %scores thresholds [0.5, 0.05] max_n 100 agnostic 0
      : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x100xi64>, tensor<2xi64>)
    ```
    """

    name = "nn.nms"

    boxes = operand_def(TensorType)
    scores = operand_def(TensorType)
    classes = opt_operand_def(TensorType)
    thresholds = prop_def(DenseArrayBase)
    max_n = prop_def(IntegerAttr)
    agnostic = prop_def(IntegerAttr)
    iom = opt_prop_def(IntegerAttr)
    indices = result_def(TensorType)
    count = result_def(TensorType)

    assembly_format = (
        "$boxes `,` $scores (`classes` $classes^)? `thresholds`"
        " custom<Floats>($thresholds) `max_n` custom<Int>($max_n)"
        " `agnostic` custom<Int>($agnostic) (`iom` $iom^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    custom_directives = (Floats, Int)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        _require_numbers(properties)
        boxes, scores, *classes = operands
        for type_ in (boxes, scores):
            require(
                type_.element_type == DTYPES["float32"],
                f"nn.nms takes float32 boxes and scores, got {describe(type_)}",
            )
        shape = scores.get_shape()
        require(
            len(shape) == 3
            and boxes.get_shape() in ((*shape[:2], 1, 4), (*shape, 4))
            and 0 < shape[1] * shape[2] < MOST_CANDIDATES,
            "boxes (b, n, 1, 4) or (b, n, c, 4) belong to scores (b, n, c) of at least"
            " one box and class, got"
            f" {describe(boxes)} and {describe(scores)}",
        )
        require(
            all(t == tensor("int64", shape, t.encoding) for t in classes),
            f"classes must be int64 of the scores' shape, got {_listed(classes)}",
        )
        batch = shape[:1]
        kept = (*batch, int_of(properties["max_n"]))
        return [tensor("int64", kept), tensor("int64", batch)]


def _listed(types: Sequence[AnyTensor]) -> str:
    return ", ".join(map(describe, types))


def thresholds_of(properties: Properties) -> tuple[float, float]:
    """The overlap above which boxes are dropped, and the score they must exceed."""
    attribute = cast("DenseArrayBase[Float64Type]", properties["thresholds"])
    require(attribute.elt_type == f64, "thresholds are float64 array attributes")
    numbers = tuple(attribute.get_values())
    require(
        len(numbers) == 2 and 0 <= numbers[0] <= 1 and isfinite(numbers[1]),
        "nn.nms takes an overlap from 0 to 1 and a finite score as thresholds, got"
        f" {list(numbers)}",
    )
    return numbers[0], numbers[1]


def _require_numbers(properties: Properties) -> None:
    thresholds_of(properties)
    require(int_of(properties["max_n"]) > 0, "max_n must be positive")
    flag_of("agnostic", properties["agnostic"])
    flag_of("iom", properties.get("iom", int_attr(0)))


OPS: Sequence[type[IRDLOperation]] = (NmsOp,)
