"""Selection of the next token."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, TensorType
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
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
      sum to at least p (transformers' `TopPLogitsWarper`); of equal ones the later are
      excluded first.

    A sample is the argmax of score + Gumbel noise. The noise of a token is a function
    of `seed` (int64, one element), its row and its number, by Philox 4x32-10: one seed
    yields the same token on every target and with any number of threads, unless two
    noisy scores differ by at most the rounding of a logarithm. Generation increments
    the seed for each token.

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
    temperature = prop_def(FloatAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$operand (`seed` $seed^)? `strategy` custom<Text>($strategy)"
        " `k` custom<Int>($k) `p` $p `temperature` $temperature attr-dict"
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
        for type_ in seed:
            require(
                type_.element_type == DTYPES["int64"]
                and type_.get_shape() in ((), (1,)),
                f"a seed is int64 (1), got {describe(type_)}",
            )
        k = int_of(properties["k"])
        require(1 <= k <= shape[1], f"k is {k}, must be 1 to {shape[1]}")
        p, temperature = (float_of(properties[name]) for name in ("p", "temperature"))
        require(0 < p <= 1, f"p is {p}, must be above 0 and at most 1")
        require(
            0 < temperature < float("inf"),
            f"temperature is {temperature}, must be positive; 0 is strategy greedy",
        )
        return [tensor("int64", shape[:1])]


OPS: Sequence[type[IRDLOperation]] = (NextTokenOp,)
