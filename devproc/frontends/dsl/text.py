"""Steps on tokens and on the states of an encoder."""

from __future__ import annotations

from devproc.dialects.nn.base import int_attr
from devproc.dialects.pipe.generation import (
    CountTokensOp,
    NextTokenOp,
    PenalizeTokensOp,
)
from devproc.dialects.pipe.text import (
    AttentionMaskOp,
    ClsPoolOp,
    CosineSimilarityOp,
    L2NormalizeOp,
    MeanPoolOp,
    PadTokensOp,
)
from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.building.properties import (
    of_integers,
    of_numbers,
    of_texts,
)
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.user_input import fail, integer

_STATES = "give an encoder's last hidden states"


class TextSteps(StepBuilder):
    """Steps on tokens and on the states of an encoder."""

    def pad_tokens(
        self, ids: Value, length: int, value: int = 0, side: str = "right"
    ) -> Value:
        """Tokens `(..., n)`, int32 or int64, as `(..., length)` of the same dtype: truncated
        at the end, or padded with `value` on the "right" or the "left".
        """
        step = "pad_tokens"
        properties = {
            **of_integers(step, length=length, value=value),
            **of_texts(step, side=side),
        }
        return self.step(PadTokensOp, [ids], properties, "give a tokenizer's numbers")

    def attention_mask(self, ids: Value, pad_id: int = 0) -> Value:
        """1 where a token (int32 or int64) is not `pad_id`, else 0, as int64 of the same
        shape.
        """
        properties = of_integers("attention_mask", pad_id=pad_id)
        remedy = "give a tokenizer's numbers"
        return self.step(AttentionMaskOp, [ids], properties, remedy)

    def mean_pool(self, x: Value, mask: Value) -> Value:
        """The mean `(batch, size)` of float states `(batch, length, size)` where the mask
        `(batch, length)` is 1 (sentence-transformers); 0 where it is 0 everywhere. The dtype
        is that of the states.
        """
        remedy = f"{_STATES}, and the mask that the encoder had"
        return self.step(MeanPoolOp, [x, mask], {}, remedy)

    def cls_pool(self, x: Value) -> Value:
        """The first token's state `(batch, size)` of float states `(batch, length, size)`,
        in their dtype.
        """
        return self.step(ClsPoolOp, [x], {}, _STATES)

    def l2_normalize(self, x: Value, axis: int = -1) -> Value:
        """x / max(norm, 1e-12) along an axis of float32 or float64
        (`torch.nn.functional.normalize`). Shape and dtype stay.
        """
        properties = of_integers("l2_normalize", axis=axis)
        return self.step(L2NormalizeOp, [x], properties, "give embeddings")

    def cosine_similarity(self, x: Value, y: Value) -> Value:
        """The cosines `(n, m)` of all pairs of rows of `(n, size)` and `(m, size)`, all
        float32 (`sentence_transformers.util.cos_sim`).
        """
        return self.step(CosineSimilarityOp, [x, y], {}, "give embeddings")

    def next_token(
        self,
        logits: Value,
        strategy: str = "greedy",
        *,
        k: int | None = None,
        p: float = 1.0,
        min_p: float | None = None,
        temperature: float = 1.0,
        seed: Value | None = None,
    ) -> Value:
        """The next token, int64 `(batch)`, of each row of float32 logits
        `(batch, vocabulary)`.

        "greedy": the first largest. "top_k": drawn from the `k` largest (50) and their
        equals. "top_p": drawn from the smallest set whose probabilities sum to `p`, of the
        `k` largest if k is given. `min_p`: and only from those that are at least so many
        times as probable as the most probable one. Temperature and filters are those of
        transformers. A draw depends only on `seed`, an int64 value `(1)`, the row and the
        token; give a different seed in each call. With seeds `(batch)` each row is drawn
        with its own, as if it were the only one. It is -1 for a row with a NaN.
        """
        step = "next_token"
        numbers = {"p": p, "temperature": temperature}
        if min_p is not None:
            numbers["min_p"] = min_p
        self.ssa(step, logits)
        most = logits.shape[-1] if logits.shape else 1
        if k is None:
            k = most if strategy == "top_p" else 50
        if strategy == "greedy" and seed is not None:
            fail(step, "greedy takes no seed", "leave the seed out, or draw")
        properties = {
            **of_texts(step, strategy=strategy),
            "k": int_attr(min(integer(step, "k", k), most)),
            **of_numbers(step, **numbers),
        }
        operands = [logits] if seed is None else [logits, seed]
        remedy = "draw with an int64 seed, as of input('seed', 'int64', (1,))"
        return self.step(NextTokenOp, operands, properties, remedy)

    def count_tokens(
        self, counts: Value, ids: Value, length: Value | None = None
    ) -> Value:
        """`counts` `(batch, vocabulary)`, int32 or int64, how often each token appeared,
        with the int64 tokens `ids` `(batch, n)` added; the first `length` of them, an int64
        value `(1)`, or `(batch)` with one for each row.
        """
        operands = [counts, ids] if length is None else [counts, ids, length]
        remedy = "declare them as state('counts', 'int32', (batch, vocabulary))"
        return self.step(CountTokensOp, operands, {}, remedy)

    def penalize_tokens(
        self,
        logits: Value,
        counts: Value,
        repetition: float = 1.0,
        presence: float = 0.0,
        frequency: float = 0.0,
    ) -> Value:
        """Float32 logits `(batch, vocabulary)`, lowered for tokens whose count, int32 or
        int64 of this shape, is above 0: positive ones divided by `repetition` and negative
        ones multiplied, as by transformers; then less `presence`, and less `frequency`
        times the count.
        """
        properties = of_numbers(
            "penalize_tokens",
            repetition=repetition,
            presence=presence,
            frequency=frequency,
        )
        remedy = "give float32 logits and what count_tokens returns"
        return self.step(PenalizeTokensOp, [logits, counts], properties, remedy)
