"""How the next token is chosen, at the end of the entries of a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.values.value import Value
from devproc.generation.properties import COUNTS, SEED, TOKEN, Properties

PENALTIES = ("repetition", "presence", "frequency")
"""The arguments of `pipe.penalize_tokens`."""


class Sampling:
    """How a token is chosen: the arguments of `pipe.next_token` and
    `pipe.penalize_tokens`."""

    def __init__(self, given: Mapping[str, Any] | None):
        given = given or {}
        self.penalties = {k: v for k, v in given.items() if k in PENALTIES}
        self.choice = {k: v for k, v in given.items() if k not in PENALTIES}

    @property
    def counts_tokens(self) -> bool:
        """Whether it depends on how often each token appeared."""
        return bool(self.penalties)

    @property
    def draws(self) -> bool:
        """Whether it needs random numbers."""
        return self.choice.get("strategy", "greedy") != "greedy"

    def token(
        self, pipe: Pipeline, logits: Value, counts: Value | None, seed: Value | None
    ) -> Value:
        """The token of each row of logits; the counts and the seed are given where they
        are needed."""
        if counts is not None:
            logits = pipe.penalize_tokens(logits, counts, **self.penalties)
        return pipe.next_token(logits, seed=seed, **self.choice)


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
    counts = seed = None
    if sampling.counts_tokens:
        before = pipe.state(COUNTS, "int32", logits.shape, layout="")
        counts = pipe.count_tokens(before, given, count)
        pipe.update(COUNTS, counts)
    if sampling.draws:
        seed = pipe.state(SEED, "int64", (1,))
        pipe.update(SEED, seed + 1)
    chosen = sampling.token(pipe, logits, counts, seed)
    pipe.update(TOKEN, pipe.reshape(chosen, (1, 1)))
    pipe.output("token", chosen)
    return chosen


def repeat(pipe: Pipeline, token: Value, properties: Properties) -> None:
    """Lets the pipeline of one token repeat itself, until a token that ends the text, or
    none because of NaN.
    """
    ended = pipe.less(token, 0)
    for stop in properties.stop_tokens:
        ended = pipe.logical_or(ended, pipe.equal(token, stop))
    pipe.output("ended", ended)
    pipe.repeat(properties.capacity, until="ended")
