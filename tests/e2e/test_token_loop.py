"""The native loop over tokens: single steps, NaN, signals, and sequences that slide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import GenerationError, InputError
from devproc.runtime.execution.host_program import Repeat
from tests.e2e.test_language_models import VOCABULARY, greedy, prompt, small
from tests.runtime.children import interrupt_after

CAPACITY, PROMPT = 32, 13


@pytest.fixture(scope="module")
def llama() -> Any:
    return small("Llama", num_hidden_layers=1)


@pytest.fixture(scope="module")
def program(llama: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Saved and loaded, with a native loop."""
    path = tmp_path_factory.mktemp("loop") / "llama.devproc"
    given = {"capacity": CAPACITY, "prefill": (8,), "cache": False}
    devproc.from_transformers(llama, **given).save(path)
    loaded = devproc.LanguageModel.load(path)
    decode = loaded.entries["decode"]
    assert decode.artifact.host.repeat == Repeat(CAPACITY, 1, "segment_0_repeat")
    title = decode.report().states.title
    assert title.endswith("up to 32 calls in a row by a native loop")
    # A step reads one row of the embeddings, and everything else.
    host = decode.artifact.host
    assert "model.model.model.embed_tokens.weight" in host.picked
    rest = sum(p.nbytes for p in llama.parameters()) - VOCABULARY * 48 * 4
    assert rest <= host.bytes_read < 1.2 * rest
    return loaded


@pytest.fixture(scope="module")
def drawing() -> Any:
    """Draws tokens; what follows one that is divisible by 10 is NaN."""
    model = small("Llama", num_hidden_layers=1)
    with torch.no_grad():
        model.model.embed_tokens.weight[10::10] = torch.nan
    return devproc.from_transformers(
        model,
        capacity=CAPACITY,
        prefill=(4,),
        sampling={"strategy": "top_k", "k": 9, "temperature": 1.3, "repetition": 1.2},
        cache=False,
    )


def valid(count: int, seed: int = 0) -> list[int]:
    """Tokens whose embedding is no NaN."""
    return [t + is_nan(t) for t in prompt(seed, count)]


def is_nan(token: int) -> bool:
    """Whether the embedding of a token is NaN."""
    return token > 0 and token % 10 == 0


def by_steps(model: Any, ids: Sequence[int], count: int, seed: int) -> list[int]:
    """The tokens of single calls, up to one that is followed by NaN."""
    model.reset()
    model.entries.state["seed"] = np.array([seed])
    found = [model.read(ids)]
    while len(found) < count and not is_nan(found[-1]):
        found.append(model.step())
    return found


def test_draws_are_those_of_single_steps(drawing: Any) -> None:
    lengths: set[int] = set()
    for seed in range(12):
        ids = valid(6, seed)
        wanted = by_steps(drawing, ids, 12, seed)
        states = drawing.save_state()
        streamed: list[int] = []
        if not is_nan(wanted[-1]):
            found = drawing.generate(ids, 12, seed=seed, stream=streamed.append)
            assert list(found.ids) == wanted == streamed
        else:
            at = len(ids) + len(wanted) - 1
            with pytest.raises(
                GenerationError, match=f"'decode' at position {at}: .* NaN"
            ):
                drawing.generate(ids, seed=seed, stream=streamed.append)
            assert streamed == wanted
        # Also after an error: position, seed, and how often each token appeared.
        for name in ("token", "model.position", "seed", "counts"):
            np.testing.assert_array_equal(
                drawing.entries.state[name], states[name], name
            )
        counts = np.bincount([*ids, *wanted[:-1]], minlength=VOCABULARY)
        np.testing.assert_array_equal(drawing.entries.state["counts"], [counts])
        lengths.add(len(wanted))
    assert 12 in lengths
    assert len(lengths) > 2


@pytest.mark.parametrize("place", [0, 5, 6])
def test_prompt_with_nan_is_read_as_a_whole_or_not(drawing: Any, place: int) -> None:
    drawing.entries.reset()
    drawing.read(valid(3))
    before = drawing.save_state()
    wanted = drawing.generate(valid(6), 3, keep=True, seed=4)
    drawing.load_state(before)
    ids = valid(7)
    ids[place] = 50
    with pytest.raises(
        GenerationError, match=r"entry '(decode|prefill_4)' at position"
    ):
        drawing.generate(ids, keep=True)
    for name in ("token", "model.position", "seed", "counts"):
        np.testing.assert_array_equal(drawing.entries.state[name], before[name], name)
    drawing.entries.state["token"] = np.array([[50]])
    with pytest.raises(GenerationError, match="entry 'decode' at position 3"):
        drawing.step()
    assert drawing.position == 3
    # What the failed calls have written is never read.
    assert drawing.generate(valid(6), 3, keep=True, seed=4) == wanted


def test_signals_stop_within_a_token(program: Any, llama: Any) -> None:
    wanted = greedy(llama, prompt(), CAPACITY - PROMPT + 1)
    reasons: list[str] = []
    for number in range(60):
        found = interrupt_after(
            1e-4 + number * 3e-5, lambda: program.generate(prompt())
        )
        if found is None:  # in the prompt, or after the end
            continue
        reasons.append(found.reason)
        made = len(found.ids)
        assert list(found.ids) == wanted[:made]
        assert program.position == PROMPT + made - 1
        if made < len(wanted):
            assert program.step() == wanted[made]
    assert {"interrupted", "capacity"} == set(reasons)


@pytest.mark.parametrize("slide", [1, 7, 31])
def test_sequence_that_slides(program: Any, llama: Any, slide: int) -> None:
    count, wanted, kept = 70, list[int](), prompt()
    while len(wanted) < count:
        made = greedy(llama, kept, CAPACITY - len(kept) + 1)
        wanted += made
        kept = [*kept, *made][slide:]
    found = program.generate(prompt(), count, slide=slide)
    assert list(found.ids) == wanted[:count]
    assert found.reason == "max_tokens"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slide": 0}, "slide is 0; give 1 to 31"),
        ({"slide": CAPACITY}, "slide is 32; give 1 to 31"),
        ({"slide": 3, "keep": True}, "slide: give the whole prompt"),
    ],
)
def test_slides_that_are_refused(program: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        program.generate(prompt(), **options)


def test_a_checked_program_has_a_native_loop(llama: Any) -> None:
    """With value checks, before which no state is updated; the tokens are the same."""
    model = devproc.from_transformers(
        llama, capacity=CAPACITY, prefill=(8,), check_values=True, cache=False
    )
    decode = model.entries["decode"]
    assert decode.artifact.checks
    assert decode.artifact.host.repeat == Repeat(CAPACITY, 1, "segment_0_repeat")
    assert list(model.generate(prompt(), 9).ids) == greedy(llama, prompt(), 9)
    rows = decode.report().states.rows
    assert all(row.update.startswith("in place") for row in rows)
