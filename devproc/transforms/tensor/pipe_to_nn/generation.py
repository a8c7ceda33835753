"""Selection of the next token, with a stateless random number generator, and penalties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_array, int_attr, int_of
from devproc.dialects.nn.compare import XorOp
from devproc.dialects.nn.gather import ScatterOp
from devproc.dialects.nn.reduction import ArgmaxOp, ReduceMaxOp, SoftmaxOp
from devproc.dialects.nn.scan import CumsumOp
from devproc.dialects.pipe import generation
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule

_WORD = 0xFFFFFFFF
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
"""Philox 4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3)."""


def philox(
    e: Expressions, counter: Sequence[Expression], key: Sequence[Expression]
) -> list[Expression]:
    """Four random words of 32 bits for each counter of four and key of two, in int64."""
    c, k = list(counter), list(key)
    for _ in range(_ROUNDS):
        products = [c[2 * i] * _MULTIPLIERS[i] for i in (0, 1)]
        low = [p & e.constant(_WORD, "int64") for p in products]
        high = [(p >> 32) & e.constant(_WORD, "int64") for p in products]
        mixed = [e.apply(XorOp, high[1 - i], c[2 * i + 1]) for i in (0, 1)]
        mixed = [e.apply(XorOp, mixed[i], k[i]) for i in (0, 1)]
        c = [mixed[0], low[1], mixed[1], low[0]]
        k = [(k[i] + _KEY_STEPS[i]) & e.constant(_WORD, "int64") for i in (0, 1)]
    return c


def _noise(e: Expressions, token: Expression, seed: Expression) -> Expression:
    """Gumbel noise of each token of each row, `token` being (batch, vocabulary)."""
    word, zero = e.constant(_WORD, "int64"), e.constant(0, "int64")
    seed = seed.reshape(-1, 1)
    rows = zero if seed.shape[0] > 1 else e.line(token.shape[0]).reshape(-1, 1)
    first = philox(e, [token, rows, zero, zero], [seed & word, (seed >> 32) & word])[0]
    # 23 bits plus one half: exact in float32, above 0 and below 1.
    uniform = ((first >> 9).cast("float32") + 0.5) * 2.0**-23
    return 0.0 - (0.0 - uniform.log()).log()


_ROWS = {"axes": int_array([1]), "keep": int_attr(1)}
"""Along the tokens of each row."""


def _argmax(e: Expressions, x: Expression) -> Expression:
    properties = {"axis": int_attr(1), "keep": int_attr(0)}
    return e.emit(ArgmaxOp.build_op([x.ssa], properties))


def _top_k(e: Expressions, scores: Expression, k: int) -> Expression:
    """The scores, -inf for those below the k-th largest."""
    kth = scores.sort(descending=True)[0].part(1, k - 1, 1)
    return e.where(scores < kth, float("-inf"), scores)


def _top_p(
    e: Expressions, scores: Expression, p: float
) -> tuple[Expression, Expression]:
    """The scores in ascending order, -inf for those outside of the set, and their places
    before.
    """
    ordered, places = scores.sort()
    softmax = SoftmaxOp.build_op([ordered.ssa], {"axis": int_attr(1)})
    total = e.emit(CumsumOp.along(e.emit(softmax).ssa, 1))
    size = scores.shape[1]
    removed = (total <= 1 - p) & (e.line(size) < size - 1)
    return e.where(removed, float("-inf"), ordered), places


def _min_p(e: Expressions, scores: Expression, p: float) -> Expression:
    """The scores, -inf where exp(score) is below p times the largest."""
    largest = e.emit(ReduceMaxOp.build_op([scores.ssa], _ROWS))
    return e.where(scores < largest + log(p), float("-inf"), scores)


def _at(e: Expressions, x: Expression, places: Expression) -> Expression:
    """The elements of each row of x (B, N) at places (B, M)."""
    begins = e.line(x.shape[0]).reshape(-1, 1) * x.shape[1]
    return x.reshape(-1).gather((places + begins).reshape(-1), 0).reshape(*places.shape)


def _next_token(op: generation.NextTokenOp, e: Expressions) -> Sequence[SSAValue]:
    logits = e.of(op.operand)
    if op.seed is None:
        token = _argmax(e, logits)
        # A NaN is the largest: one element tells whether there is one.
        largest = _at(e, logits, token.reshape(-1, 1)).reshape(-1)
        return [_valid(e, token, largest)]
    batch, size = logits.shape
    scores, k = logits / op.temperature.value.data, int_of(op.k)
    tokens = e.line(size).reshape(1, size).expand(batch, size)
    if op.strategy.data == "top_k":
        scores = _top_k(e, scores, k)
    else:
        if k < size:
            scores, tokens = (x.part(1, 0, k) for x in scores.sort(descending=True))
        scores, places = _top_p(e, scores, op.p.value.data)
        tokens = places if k == size else _at(e, tokens, places)
    if op.min_p is not None:
        scores = _min_p(e, scores, op.min_p.value.data)
    best = _argmax(e, scores + _noise(e, tokens, e.of(op.seed))).reshape(-1, 1)
    return [_valid(e, _at(e, tokens, best).reshape(-1), logits.max(1))]


def _valid(e: Expressions, token: Expression, largest: Expression) -> SSAValue:
    """The token of each row, -1 where the largest logit is NaN."""
    return e.where(largest.equal(largest), token, -1).ssa


def _count_tokens(op: generation.CountTokensOp, e: Expressions) -> Sequence[SSAValue]:
    counts, ids, length = e.of(op.counts), e.of(op.ids), e.optional(op.length)
    one = e.constant(1, counts.dtype)
    if length is not None:
        line = e.line(ids.shape[1]).reshape(1, -1)
        one = e.where(line < length.reshape(-1, 1), one, 0)
    added = one.expand(*ids.shape)
    return [e.emit(ScatterOp.into(counts.ssa, ids.ssa, added.ssa, 1, "add")).ssa]


def _penalize_tokens(
    op: generation.PenalizeTokensOp, e: Expressions
) -> Sequence[SSAValue]:
    logits, counts = e.of(op.operand), e.of(op.counts)
    seen, number = counts > 0, counts.cast("float32")
    repetition = op.repetition.value.data
    if repetition != 1:
        lowered = e.where(logits < 0, logits * repetition, logits / repetition)
        logits = e.where(seen, lowered, logits)
    presence, frequency = op.presence.value.data, op.frequency.value.data
    if presence:
        logits = logits - seen.cast("float32") * presence
    if frequency:
        logits = logits - number * frequency
    return [logits.ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    generation.CountTokensOp: _count_tokens,
    generation.NextTokenOp: _next_token,
    generation.PenalizeTokensOp: _penalize_tokens,
}
"""op class -> its lowering."""
