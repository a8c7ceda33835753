"""Steps on tokens and on the states of an encoder."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    int_of,
    normalize_axis,
    positive,
    require,
    text_of,
)
from devproc.dialects.pipe.base.step import AxisStep, PipeOp, UnaryStep
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, is_float, tensor

SIDES = ("right", "left")


def require_tokens(step: str, ids: AnyTensor) -> tuple[int, ...]:
    """The shape of token ids."""
    require(
        dtype_name(ids.element_type) in ("int64", "int32") and bool(ids.get_shape()),
        f"{step} takes int64 or int32 tokens (..., length), got {describe(ids)}",
    )
    return ids.get_shape()


def require_states(step: str, x: AnyTensor) -> tuple[int, int, int]:
    """The shape of an encoder's states."""
    shape = x.get_shape()
    require(
        is_float(x.element_type) and len(shape) == 3 and 0 not in shape,
        f"{step} takes floating-point states (batch, length, size), got {describe(x)}",
    )
    return shape[0], shape[1], shape[2]


@op_definition
class PadTokensOp(UnaryStep):
    """Tokens `(..., n)` truncated to `length` at their end, or padded on one side.

    ```mlir
    %r = pipe.pad_tokens %x to 5 value 0 side "right" : (tensor<2x3xi64>) -> tensor<2x5xi64>
    ```
    """

    name = "pipe.pad_tokens"

    length = prop_def(IntegerAttr)
    value = prop_def(IntegerAttr)
    side = prop_def(StringAttr)

    assembly_format = (
        "$operand `to` custom<Int>($length) `value` custom<Int>($value)"
        " `side` custom<Text>($side) attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        *leading, _ = require_tokens("pad_tokens", operands[0])
        text_of("side", properties["side"], SIDES)
        length = positive("length", properties["length"])
        return [tensor(operands[0].element_type, [*leading, length])]


@op_definition
class AttentionMaskOp(UnaryStep):
    """1 (int64) where a token is not `pad_id`, else 0.

    `%r = pipe.attention_mask %x pad_id 0 : (tensor<2x5xi64>) -> tensor<2x5xi64>`
    """

    name = "pipe.attention_mask"

    pad_id = prop_def(IntegerAttr)

    assembly_format = (
        "$operand `pad_id` custom<Int>($pad_id) attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        int_of(properties["pad_id"])
        return [tensor("int64", require_tokens("attention_mask", operands[0]))]


@op_definition
class MeanPoolOp(PipeOp):
    """The mean of the states of unmasked tokens, `(batch, length, size)` to `(batch,
    size)`: sum(x * mask) / max(sum(mask), 1e-9) (sentence-transformers).

    `%r = pipe.mean_pool %x, %m : (tensor<2x5x4xf32>, tensor<2x5xi64>) -> tensor<2x4xf32>`
    """

    name = "pipe.mean_pool"

    operand = operand_def(TensorType)
    mask = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `,` $mask attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x, mask = operands
        batch, length, size = require_states("mean_pool", x)
        require(
            mask.get_shape() == (batch, length),
            f"the mask of {describe(x)} is ({batch}, {length}), got {describe(mask)}",
        )
        return [tensor(x.element_type, [batch, size])]


@op_definition
class ClsPoolOp(UnaryStep):
    """The state of the first token, `(batch, length, size)` to `(batch, size)`.

    `%r = pipe.cls_pool %x : (tensor<2x5x4xf32>) -> tensor<2x4xf32>`
    """

    name = "pipe.cls_pool"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        batch, _, size = require_states("cls_pool", operands[0])
        return [tensor(operands[0].element_type, [batch, size])]


@op_definition
class L2NormalizeOp(AxisStep):
    """x / max(sqrt(sum x^2), 1e-12) along one axis (`torch.nn.functional.normalize`).

    `%r = pipe.l2_normalize %x axis -1 : (tensor<2x4xf32>) -> tensor<2x4xf32>`
    """

    name = "pipe.l2_normalize"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        x = operands[0]
        require(
            x.element_type in (DTYPES["float32"], DTYPES["float64"]),
            f"l2_normalize takes float32 or float64, got {describe(x)}",
        )
        normalize_axis(int_of(properties["axis"]), len(x.get_shape()))
        return [tensor(x.element_type, x.get_shape())]


@op_definition
class CosineSimilarityOp(PipeOp):
    """The cosine of each pair of rows, `(n, size)` and `(m, size)` to `(n, m)`
    (`sentence_transformers.util.cos_sim`).

    ```mlir
    %r = pipe.cosine_similarity %x, %y : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "pipe.cosine_similarity"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        lhs, rhs = operands
        shapes = lhs.get_shape(), rhs.get_shape()
        require(
            len(shapes[0]) == len(shapes[1]) == 2
            and shapes[0][1] == shapes[1][1]
            and lhs.element_type == rhs.element_type == DTYPES["float32"],
            "cosine_similarity takes float32 (n, size) and (m, size), got "
            f"{describe(lhs)} and {describe(rhs)}",
        )
        return [tensor(lhs.element_type, [shapes[0][0], shapes[1][0]])]


OPS: Sequence[type[IRDLOperation]] = (
    AttentionMaskOp,
    ClsPoolOp,
    CosineSimilarityOp,
    L2NormalizeOp,
    MeanPoolOp,
    PadTokensOp,
)
