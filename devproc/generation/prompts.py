"""Prompts as tokens, and what may be wrong with them and with the options beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from devproc.errors import InputError
from devproc.generation.constraint import Allowed
from devproc.generation.properties import ALLOWED, SEED

if TYPE_CHECKING:
    from devproc.generation.token_sequence import TokenSequence

Prompt = str | Sequence[int]
"""A text, or token ids."""


def prompt_ids(model: TokenSequence, prompt: Prompt | None) -> list[int]:
    """The tokens of a prompt; raises InputError for what is none."""
    start = list(model.properties.start_tokens)
    if prompt is None:
        if not start:
            raise InputError("the prompt is None: give a text or token ids")
        return start
    if isinstance(prompt, str) and start:
        found = model.tokenizer.encode(prompt, add_special_tokens=False)
        return [*start, *found.ids]
    return encoded(model, prompt, "prompt")


def encoded(model: TokenSequence, given: object, what: str) -> list[int]:
    """The tokens of a text, or the given ones; raises InputError for neither."""
    if isinstance(given, str):
        return list(model.tokenizer.encode(given).ids)
    try:
        ids = np.asarray(given)
    except ValueError as error:
        raise InputError(f"the {what} must be a text or token ids: {error}") from error
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise InputError(
            f"the {what} must be a text or a list of token ids, got {ids.dtype} of "
            f"shape {ids.shape}"
        )
    return cast(list[int], ids.tolist())


def token_problem(model: TokenSequence, ids: Sequence[int]) -> str | None:
    """The first token that is none of the vocabulary."""
    size = model.properties.vocabulary
    wrong = [i for i in ids if not 0 <= i < size]
    return f"token {wrong[0]} is not one of the vocabulary of {size}" if wrong else None


def prompt_problem(
    model: TokenSequence, ids: Sequence[int], position: int = 0
) -> str | None:
    """Why tokens cannot be appended at a position."""
    if not len(ids):
        return "the prompt is empty: give one token at least"
    if position + len(ids) > model.capacity:
        return (
            f"{len(ids)} tokens after {position} are more than the capacity of "
            f"{model.capacity}; shorten them, reset(), or compile with a larger one"
        )
    return token_problem(model, ids)


def option_problems(
    model: TokenSequence, most: int, stop: Sequence[str], seed: object, allowed: Allowed
) -> list[str]:
    """What is wrong with the options of a generation."""
    state = model.entries.state
    problems: list[str] = []
    if most < 1:
        problems.append(f"max_tokens is {most}; it must be 1 or more")
    if seed is not None and SEED not in state:
        problems.append("seed: the program chooses the most probable token")
    if stop and model.properties.tokenizer is None:
        problems.append("stop: the program has no tokenizer, so it makes no text")
    if allowed is not None and ALLOWED not in state:
        problems.append("allowed: compile the model with constrained=True")
    return problems


def beginning_problems(
    keep: bool, source: object, draft: object, allowed: Allowed
) -> list[str]:
    """What of the beginnings of a generation excludes each other."""
    problems: list[str] = []
    if keep and draft is not None:
        problems.append("keep: the draft has not read what this model has")
    if allowed is not None and draft is not None:
        problems.append("allowed: tokens of a draft are checked without a mask")
    if keep and source is not None:
        problems.append("keep: a source begins a new sequence")
    return problems


def slide_problems(model: TokenSequence, slide: int, has_others: bool) -> list[str]:
    """What is wrong with dropping so many tokens at the capacity."""
    problems: list[str] = []
    if not 1 <= slide < model.capacity:
        problems.append(f"slide is {slide}; give 1 to {model.capacity - 1}")
    if has_others or model.is_encoder_decoder or model.sequences > 1:
        problems.append(
            "slide: give the whole prompt to a causal model of one sequence, without "
            "keep or draft"
        )
    return problems
