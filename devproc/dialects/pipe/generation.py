"""Selection of the next token."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)

from devproc.dialects.nn.base import (
    Properties,
    describe,
    float_of,
    int_of,
    require,
    text_of,
)
from devproc.dialects.pipe.base.step import PipeOp
from devproc.ir.op_definition import op_definition
from devproc.ir.types import DTYPES, AnyTensor, tensor

STRATEGIES = ("greedy", "top_k", "top_p")


@op_definition
class NextTokenOp(PipeOp):
    """The next token (int64) of each row of logits, `(batch, vocabulary)` to `(batch)`.

    - greedy: the first maximum.
    - top_k: sampled from the softmax of logits / temperature over those that are not
      below the k-th largest (transformers' `TopKLogitsWarper`).
    - top_p: sampled from the smallest set of most probable tokens whose probabilities
      sum to at least p (transformers' `TopPLogitsWarper`), of the k largest if k is less
      than the vocabulary; of equal ones the later are excluded first.

    With `min_p` a token must also be at least that often as probable as the most probable
    one (transformers' `MinPLogitsWarper`).

    A sample is the argmax of score + Gumbel noise. The noise of a token is a function
    of `seed` (int64, one element), its row and its number, by Philox 4x32-10: one seed
    yields the same token on every target and with any number of threads, unless two
    noisy scores differ by at most the rounding of a logarithm. With a seed for each row,
    each row is drawn as if it were the only one. Generation increments the seed for each
    token. A row with a NaN has no next token: -1.

    ```mlir
    %r = pipe.next_token %x seed %s strategy "top_k" k 2 p 1.0 : f64 temperature 1.0 : f64
       : (tensor<2x5xf32>, tensor<1xi64>) -> tensor<2xi64>
    ```
    """

    name = "pipe.next_token"

    operand = operand_def(TensorType)
    seed = opt_operand_def(TensorType)
    strategy = prop_def(StringAttr)
    k = prop_def(IntegerAttr)
    p = prop_def(FloatAttr)
    min_p = opt_prop_def(FloatAttr)
    temperature = prop_def(FloatAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand (`seed` $seed^)? `strategy` custom<Text>($strategy)"
        " `k` custom<Int>($k) `p` $p (`min_p` $min_p^)? `temperature` $temperature attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        logits, *seed = operands
        shape = logits.get_shape()
        require(
            logits.element_type == DTYPES["float32"]
            and len(shape) == 2
            and 0 not in shape,
            f"next_token takes float32 (batch, vocabulary), got {describe(logits)}",
        )
        strategy = text_of("strategy", properties["strategy"], STRATEGIES)
        require(
            bool(seed) == (strategy != "greedy"),
            f'strategy "{strategy}" {"takes no" if seed else "needs a"} seed',
        )
        _require_numbers("seed", seed, shape[0])
        k = int_of(properties["k"])
        require(1 <= k <= shape[1], f"k is {k}, must be 1 to {shape[1]}")
        p, temperature = (float_of(properties[name]) for name in ("p", "temperature"))
        require(0 < p <= 1, f"p is {p}, must be above 0 and at most 1")
        if "min_p" in properties:
            least = float_of(properties["min_p"])
            require(0 < least <= 1, f"min_p is {least}, must be above 0 and at most 1")
            require(bool(seed), "min_p is for strategies that draw")
        require(
            0 < temperature < float("inf"),
            f"temperature is {temperature}, must be positive; 0 is strategy greedy",
        )
        return [tensor("int64", shape[:1])]


@op_definition
class CountTokensOp(PipeOp):
    """How often each token has appeared, (batch, vocabulary), with the int64 tokens (batch,
    n) added: the first `length` of each row (int64, one element, or one for each row), or
    all. What is not a token of the vocabulary counts nothing.

    ```mlir
    %r = pipe.count_tokens %c, %i length %n
       : (tensor<2x5xi32>, tensor<2x3xi64>, tensor<1xi64>) -> tensor<2x5xi32>
    ```
    """

    name = "pipe.count_tokens"

    counts = operand_def(TensorType)
    ids = operand_def(TensorType)
    length = opt_operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = (
        "$counts `,` $ids (`length` $length^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        counts, ids, *length = operands
        _require_counts("count_tokens", counts)
        require(
            ids.element_type == DTYPES["int64"]
            and len(ids.get_shape()) == 2
            and ids.get_shape()[0] == counts.get_shape()[0],
            f"count_tokens takes int64 tokens (batch, n), got {describe(ids)} beside "
            f"counts {describe(counts)}",
        )
        _require_numbers("length", length, counts.get_shape()[0])
        return [tensor(counts.element_type, counts.get_shape())]


@op_definition
class PenalizeTokensOp(PipeOp):
    """Logits (batch, vocabulary) of tokens that have appeared, lowered.

    Where a count is above 0, a positive logit is divided by `repetition` and a negative
    one multiplied (transformers' `RepetitionPenaltyLogitsProcessor`); then `presence` is
    subtracted, and `frequency` times the count (the definition of OpenAI's API).

    ```mlir
    %r = pipe.penalize_tokens %x, %c repetition 1.5 : f64 presence 0.5 : f64 frequency 0.0 : f64
       : (tensor<2x5xf32>, tensor<2x5xi32>) -> tensor<2x5xf32>
    ```
    """

    name = "pipe.penalize_tokens"

    operand = operand_def(TensorType)
    counts = operand_def(TensorType)
    repetition = prop_def(FloatAttr)
    presence = prop_def(FloatAttr)
    frequency = prop_def(FloatAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand `,` $counts `repetition` $repetition `presence` $presence"
        " `frequency` $frequency attr-dict `:` functional-type(operands, results)"
    )

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        logits, counts = operands
        _require_counts("penalize_tokens", counts)
        require(
            logits.element_type == DTYPES["float32"]
            and logits.get_shape() == counts.get_shape(),
            "penalize_tokens takes float32 (batch, vocabulary) and counts of that shape, "
            f"got {describe(logits)} and {describe(counts)}",
        )
        repetition = float_of(properties["repetition"])
        require(
            0 < repetition < float("inf"),
            f"repetition is {repetition}, must be positive; 1 is none",
        )
        for name in ("presence", "frequency"):
            value = float_of(properties[name])
            require(abs(value) < float("inf"), f"{name} is {value}, must be finite")
        return [tensor(logits.element_type, logits.get_shape())]


def _require_counts(step: str, counts: AnyTensor) -> None:
    require(
        counts.element_type in (DTYPES["int32"], DTYPES["int64"])
        and len(counts.get_shape()) == 2
        and 0 not in counts.get_shape(),
        f"{step} takes int32 or int64 counts (batch, vocabulary), got {describe(counts)}",
    )


def _require_numbers(what: str, types: Sequence[AnyTensor], rows: int) -> None:
    """Requires that an operand, where there is one, is one int64 number, or one for each
    row.
    """
    for type_ in types:
        require(
            type_.element_type == DTYPES["int64"]
            and type_.get_shape() in ((), (1,), (rows,)),
            f"a {what} is int64 (1) or ({rows}), got {describe(type_)}",
        )


OPS: Sequence[type[IRDLOperation]] = (CountTokensOp, NextTokenOp, PenalizeTokensOp)
