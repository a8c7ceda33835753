"""Selection of the next token, with a stateless random number generator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.nn.base import int_attr, int_of
from devproc.dialects.nn.compare import XorOp
from devproc.dialects.nn.reduction import ArgmaxOp, SoftmaxOp
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
    """Gumbel noise of each token of each row, `token` being (batch or 1, vocabulary)."""
    word, zero = e.constant(_WORD, "int64"), e.constant(0, "int64")
    seed = seed.reshape(1, 1)
    rows = e.line(token.shape[0]).reshape(-1, 1)
    first = philox(e, [token, rows, zero, zero], [seed & word, (seed >> 32) & word])[0]
    # 23 bits plus one half: exact in float32, above 0 and below 1.
    uniform = ((first >> 9).cast("float32") + 0.5) * 2.0**-23
    return 0.0 - (0.0 - uniform.log()).log()


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
    """The scores in ascending order, -inf for those outside of the set, and the tokens
    they belong to.
    """
    ordered, tokens = scores.sort()
    softmax = SoftmaxOp.build_op([ordered.ssa], {"axis": int_attr(1)})
    total = e.emit(CumsumOp.along(e.emit(softmax).ssa, 1))
    size = scores.shape[1]
    removed = (total <= 1 - p) & (e.line(size) < size - 1)
    return e.where(removed, float("-inf"), ordered), tokens


def _next_token(op: generation.NextTokenOp, e: Expressions) -> Sequence[SSAValue]:
    logits = e.of(op.operand)
    if op.seed is None:
        return [_argmax(e, logits).ssa]
    seed, (batch, size) = e.of(op.seed), logits.shape
    scores = logits / op.temperature.value.data
    if op.strategy.data == "top_k":
        kept = _top_k(e, scores, int_of(op.k))
        tokens = e.line(size).reshape(1, size).expand(batch, size)
        return [_argmax(e, kept + _noise(e, tokens, seed)).ssa]
    kept, tokens = _top_p(e, scores, op.p.value.data)
    best = _argmax(e, kept + _noise(e, tokens, seed))
    place = best + e.line(batch) * size
    return [tokens.reshape(-1).gather(place, 0).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {generation.NextTokenOp: _next_token}
"""op class -> its lowering."""
