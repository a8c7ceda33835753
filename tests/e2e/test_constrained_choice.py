"""Bias, suppressed tokens, and masks of the tokens that may follow, as of transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import CompileError, InputError
from tests.e2e.test_language_models import CAPACITY, VOCABULARY, greedy, prompt, small

MOST = 12
BIAS = {
    token: float(value)
    for token, value in zip(
        range(1, VOCABULARY, 7),
        2 * np.random.default_rng(0).standard_normal(43),
        strict=True,
    )
}


@pytest.fixture(scope="module")
def model() -> Any:
    """A model that suppresses tokens that it would choose."""
    made = small("Llama", num_hidden_layers=1)
    first, *_, fourth = greedy(made, prompt(), 4)
    made.generation_config.suppress_tokens = [fourth]
    made.generation_config.begin_suppress_tokens = [first]
    return made


@pytest.fixture(scope="module")
def program(model: Any) -> devproc.LanguageModel:
    sampling = {"bias": BIAS, "repetition": 1.2}
    return devproc.from_transformers(
        model,
        capacity=CAPACITY,
        prefill=(9,),
        sampling=sampling,
        constrained=True,
        cache=False,
    )


def wanted(model: Any, ids: list[int], allowed: Any = None) -> list[int]:
    """The tokens of transformers' `generate`."""

    def listed(_: int, so_far: torch.Tensor) -> list[int]:
        return allowed(so_far.tolist())

    found = model.generate(
        torch.tensor([ids]),
        max_new_tokens=MOST,
        do_sample=False,
        sequence_bias={(token,): value for token, value in BIAS.items()},
        repetition_penalty=1.2,
        prefix_allowed_tokens_fn=None if allowed is None else listed,
    )
    return found[0, len(ids) :].tolist()


def third(ids: list[int]) -> list[int]:
    """Tokens that may follow: another third of them after each token."""
    return [token for token in range(VOCABULARY) if (token + len(ids)) % 3 == 0]


@pytest.mark.parametrize("seed", [0, 1])
def test_tokens_are_those_of_transformers(
    model: Any, program: devproc.LanguageModel, seed: int
) -> None:
    ids = prompt(seed)
    free = wanted(model, ids)
    assert free != greedy(model, ids, MOST)
    for _ in range(2):
        assert list(program.generate(ids, MOST).ids) == free
        found = program.generate(ids, MOST, allowed=third)
        assert list(found.ids) == wanted(model, ids, third) != free


def test_a_mask_for_all_tokens(model: Any, program: devproc.LanguageModel) -> None:
    few = [5, 6, 90, 200, 300]
    mask = np.isin(np.arange(VOCABULARY), few)
    expected = wanted(model, prompt(), lambda ids: few)
    assert set(expected) <= set(few)
    for allowed in (few, mask, np.array(few, np.int32)):
        assert list(program.generate(prompt(), MOST, allowed=allowed).ids) == expected


def test_a_token_that_never_follows() -> None:
    """Also where tokens of a draft are checked; without a mask in the program."""
    model = small("Llama", num_hidden_layers=1)
    never = greedy(model, prompt(), MOST)[1]
    sampling = {"bias": {never: float("-inf")}}
    given: dict[str, Any] = {"capacity": CAPACITY, "prefill": (9,), "speculate": 2}
    program = devproc.from_transformers(model, sampling=sampling, **given)
    model.generation_config.suppress_tokens = [never]
    expected = greedy(model, prompt(), MOST)
    assert list(program.generate(prompt(), MOST).ids) == expected
    program.reset()
    program.read(prompt())
    assert program.check(expected[:3]) == expected[1:4]
    with pytest.raises(InputError, match="compile the model with constrained=True"):
        program.generate(prompt(), allowed=[1])


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        (lambda ids: [] if len(ids) > 14 else None, "no token may follow after 15"),
        ([VOCABULARY], "token 301 is not one of the vocabulary of 301"),
        ([0.5], "token ids or a mask of 301, got float64 of shape"),
        (np.ones(7, np.bool_), r"a mask of 301, got bool of shape \(7,\)"),
    ],
)
def test_bad_masks(program: devproc.LanguageModel, allowed: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        program.generate(prompt(), MOST, allowed=allowed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling": {"bias": {301: 1.0}}}, "the bias names token 301"),
        ({"sampling": {"bias": {3: np.nan}}}, "the bias of token 3 is nan"),
        ({"sampling": {"bias": {3: np.inf}}}, "the bias of token 3 is inf"),
        (
            {"sampling": {"temprature": 1.0}},
            "no option 'temprature'; there are strategy",
        ),
        (
            {"sampling": {"bias": dict.fromkeys(range(VOCABULARY), -np.inf)}},
            "no token may follow",
        ),
        ({"speculate": 2, "sampling": {"presence": 1.0}}, "without penalties"),
    ],
)
def test_options_that_are_refused(
    model: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError, match=message):
        devproc.from_transformers(model, capacity=CAPACITY, **options)
