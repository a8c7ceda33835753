"""How the next token is chosen, at the end of the entries of a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from devproc.errors import CompileError
from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.values.value import Value
from devproc.generation.properties import ALLOWED, COUNTS, SEED, TOKEN, Properties
from devproc.ir.weights.table import Array

PENALTIES = ("repetition", "presence", "frequency")
"""The arguments of `pipe.penalize_tokens`."""

CHOICES = ("strategy", "k", "p", "min_p", "temperature")
"""Those of `pipe.next_token`."""

BIAS = "bias"
"""Token -> what is added to its score; minus infinity for one that never follows."""

NONE = float("-inf")
"""The score of a token that may not follow."""


class Sampling:
    """How a token is chosen: bias, penalties, a mask of the tokens that may follow, and the
    choice among these, in the order of transformers.
    """

    def __init__(
        self,
        given: Mapping[str, Any] | None,
        vocabulary: int,
        suppressed: Iterable[int] = (),
        constrained: bool = False,
    ):
        """`suppressed`: tokens that never follow. Raises CompileError for what is no
        option."""
        given = given or {}
        unknown = [name for name in given if name not in (*PENALTIES, *CHOICES, BIAS)]
        if unknown:
            known = ", ".join((*CHOICES, *PENALTIES, BIAS))
            raise CompileError(
                f"sampling has no option {', '.join(map(repr, unknown))}; there are {known}"
            )
        self.penalties = {k: v for k, v in given.items() if k in PENALTIES}
        self.choice = {k: v for k, v in given.items() if k in CHOICES}
        self.constrained = constrained
        self.bias = _row(given.get(BIAS, {}), vocabulary)
        self.bias[0, [t for t in suppressed if 0 <= t < vocabulary]] = NONE
        if not np.isfinite(self.bias).any():
            raise CompileError("sampling: no token may follow")

    @property
    def is_greedy(self) -> bool:
        """Whether the most probable token is chosen."""
        return self.choice.get("strategy", "greedy") == "greedy"

    def states(self, pipe: Pipeline, sequences: int) -> dict[str, Value]:
        """Declares the states that the choice needs, with a row for each sequence."""
        wide = (sequences, self.bias.shape[1])
        found: dict[str, Value] = {}
        if self.penalties:
            found[COUNTS] = pipe.state(COUNTS, "int32", wide, layout="")
        if self.constrained:
            found[ALLOWED] = pipe.state(ALLOWED, "bool", wide, True, layout="")
        if not self.is_greedy:
            found[SEED] = pipe.state(SEED, "int64", (sequences,))
        return found

    def token(
        self, pipe: Pipeline, logits: Value, states: Mapping[str, Value] | None = None
    ) -> Value:
        """The token of each row of logits, with rows of these states."""
        states = states or {}
        if self.bias.any():
            logits = pipe.add(logits, self.bias)
        if COUNTS in states:
            logits = pipe.penalize_tokens(logits, states[COUNTS], **self.penalties)
        if ALLOWED in states:
            logits = pipe.where(states[ALLOWED], logits, NONE)
        return pipe.next_token(logits, seed=states.get(SEED), **self.choice)


def _row(given: Mapping[int, float], vocabulary: int) -> Array:
    """What is added to the scores (1, V)."""
    row = np.zeros((1, vocabulary), np.float32)
    for token, value in given.items():
        if not 0 <= token < vocabulary:
            raise CompileError(
                f"sampling: the bias names token {token}, there are {vocabulary}"
            )
        if not -np.inf <= value < np.inf:
            raise CompileError(
                f"sampling: the bias of token {token} is {value}; give a finite number, or "
                "-inf for a token that never follows"
            )
        row[0, token] = value
    return row


def choose(
    pipe: Pipeline,
    sampling: Sampling,
    logits: Value,
    given: Value,
    count: Value | None = None,
) -> Value:
    """Ends a pipeline with the next token, as an output and as a state; returns it.

    The first `count` of the `given` tokens, or all, have been appended to the sequence.
    """
    states = sampling.states(pipe, 1)
    if COUNTS in states:
        states[COUNTS] = pipe.count_tokens(states[COUNTS], given, count)
        pipe.update(COUNTS, states[COUNTS])
    if SEED in states:
        pipe.update(SEED, states[SEED] + 1)
    chosen = sampling.token(pipe, logits, states)
    pipe.update(TOKEN, pipe.reshape(chosen, (1, 1)))
    pipe.output("token", chosen)
    return chosen


def repeat(pipe: Pipeline, token: Value, properties: Properties) -> None:
    """Lets the pipeline of one token repeat itself, until a token that ends the text, or
    none because of NaN.
    """
    repeat_until(pipe, ends(pipe, token, properties), properties)


def ends(pipe: Pipeline, tokens: Value, properties: Properties) -> Value:
    """Whether each token ends a text: a stop token, or none because of NaN."""
    ended = pipe.less(tokens, 0)
    for stop in properties.stop_tokens:
        ended = pipe.logical_or(ended, pipe.equal(tokens, stop))
    return ended


def repeat_until(pipe: Pipeline, ended: Value, properties: Properties) -> None:
    """Lets a pipeline repeat itself until a bool (1) is true."""
    pipe.output("ended", ended)
    pipe.repeat(properties.capacity, until="ended")
