"""Several sequences in one program: each result is that of its prompt alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import (
    CompileError,
    GenerationError,
    InputError,
    UnsupportedError,
)
from devproc.program import Program
from devproc.runtime.execution.host_program import Repeat
from tests.e2e.test_language_models import greedy, prompt, small, tokenizer

CAPACITY, SEQUENCES = 29, 3
GIVEN: dict[str, Any] = {"capacity": CAPACITY, "prefill": (9,), "cache": False}
LENGTHS = (13, 1, 5, CAPACITY, 9, 2, 23)
"""Of prompts: more than there are sequences."""
MOST = 8


def prompts() -> list[list[int]]:
    return [prompt(seed, count) for seed, count in enumerate(LENGTHS)]


def alone(model: Any, ids: list[int]) -> list[int]:
    """The tokens of transformers' `generate` that fit."""
    return greedy(model, ids, min(MOST, CAPACITY - len(ids) + 1))


@pytest.fixture(scope="module")
def shallow() -> Any:
    return small("Llama", num_hidden_layers=1)


@pytest.fixture(scope="module")
def program(shallow: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A program with a tokenizer, saved and loaded."""
    path = tmp_path_factory.mktemp("sequences") / "llama.devproc"
    made = devproc.from_transformers(
        shallow,
        sequences=SEQUENCES,
        tokenizer=tokenizer(),
        capacity=CAPACITY,
        prefill=(4, 9),
        cache=False,
    )
    made.save(path)
    return devproc.LanguageModel.load(path)


def poison(program: Any) -> None:
    """Makes all keys and values NaN: rows that are not written must not be read."""
    state = program.entries.state
    for name in state:
        if "key_" in name or "value_" in name:
            state[name] = np.full_like(state[name], np.nan)


def test_prompts_of_all_lengths(program: Any, shallow: Any) -> None:
    poison(program)
    found = program.generate_all(prompts(), MOST)
    assert [list(one.ids) for one in found] == [alone(shallow, p) for p in prompts()]
    streamed: dict[int, str] = dict.fromkeys(range(len(LENGTHS)), "")

    def show(number: int, piece: str) -> None:
        streamed[number] += piece

    assert program.generate_all(prompts(), MOST, stream=show) == found
    assert list(streamed.values()) == [one.text for one in found]
    assert [one.prompt_tokens for one in found] == list(LENGTHS)
    reasons = ["capacity" if n > CAPACITY - MOST + 1 else "max_tokens" for n in LENGTHS]
    assert [one.reason for one in found] == reasons


def calls_of_decode(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Any], list[int]]:
    """What is generated, and the steps of each call of the native loop."""
    decode = program.entries["decode"]
    counts: list[int] = []
    assert decode.artifact.host.repeat == Repeat(CAPACITY, 1, "segment_0_repeat")

    def repeat(count: int, follow: Any = None) -> Any:
        found = Program.repeat(decode, count, follow)
        counts.append(len(found["token"]))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(decode, "repeat", repeat)
        return program.generate_all(prompts(), MOST), counts


def test_calls_end_with_a_sequence(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first three prompts have 7 steps. Of the next ones the first fills its sequence;
    the last one has 6 steps, at the capacity, the other two 7."""
    found, counts = calls_of_decode(program, monkeypatch)
    assert counts == [7, 6, 1]
    assert [len(one.ids) for one in found] == [8, 8, 8, 1, 8, 8, 7]


def test_stop_tokens_and_nan_end_calls(
    shallow: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, ids = [alone(shallow, p) for p in prompts()], [2, 3]
    ends, bad = [wanted[0][3], wanted[2][5]], alone(shallow, ids)[3]
    assert not any(bad in tokens for tokens in (ids, ends, *prompts(), *wanted))
    model = small("Llama", num_hidden_layers=1)
    model.generation_config.eos_token_id = ends
    with torch.no_grad():
        model.model.embed_tokens.weight[bad] = torch.nan
    program = devproc.from_transformers(model, sequences=SEQUENCES, **GIVEN)
    with pytest.raises(GenerationError, match=r"'decode' at position 5: .* NaN"):
        program.generate_all([prompts()[1], ids], MOST)
    found, counts = calls_of_decode(program, monkeypatch)
    for one, tokens in zip(found, wanted, strict=True):
        stops = [n for n, token in enumerate(tokens) if token in ends]
        assert list(one.ids) == tokens[: min(stops, default=None)]
        assert (one.reason == "stop") == bool(stops)
    assert counts[0] == 3


@pytest.mark.parametrize(
    ("kind", "changes"), [("OPT", {}), ("Falcon", {"alibi": True})]
)
def test_positions_of_each_sequence(kind: str, changes: dict[str, Any]) -> None:
    """Learned positions, and slopes: these models make them of a mask where none is given."""
    model = small(kind, num_hidden_layers=1, **changes)
    program = devproc.from_transformers(model, sequences=2, **GIVEN)
    found = program.generate_all(prompts(), MOST)
    assert [list(one.ids) for one in found] == [alone(model, p) for p in prompts()]


def test_sliding_windows_of_each_sequence() -> None:
    model = small(
        "Gemma3Text",
        head_dim=16,
        sliding_window=6,
        num_hidden_layers=1,
        layer_types=["sliding_attention"],
    )
    program = devproc.from_transformers(model, sequences=2, **GIVEN)
    assert "window 6" in program.entries["decode"].ir("tensor")
    found = program.generate_all(prompts(), MOST)
    assert [list(one.ids) for one in found] == [alone(model, p) for p in prompts()]


def test_a_step_writes_rows_and_reads_those_in_use(program: Any) -> None:
    decode = program.entries["decode"]
    for row in decode.report().states.rows:
        if "key_" in row.name or "value_" in row.name:
            kernels = row.update.removeprefix("in place by ").split(", ")
            assert all(name.startswith("@scatter") for name in kernels), row.update
    families = [row.family for row in decode.report().kernels.rows]
    assert families.count("attention") == 1
    # No kernel reads a whole cache, and each weight is read for all sequences at once.
    assert "copy" not in " ".join(families)
    assert decode.ir("tensor").count("nn.linear ") <= 8


def test_draws_and_penalties_are_those_of_the_prompt_alone(shallow: Any) -> None:
    sampling = {"strategy": "top_k", "k": 5, "temperature": 1.5, "repetition": 1.4}
    options = GIVEN | {"sampling": sampling, "constrained": True}
    one, several = (
        devproc.from_transformers(shallow, sequences=n, **options)
        for n in (1, SEQUENCES)
    )
    given, seeds = [*prompts(), prompts()[0]], [3, 1, 4, 1, 5, 9, 2, 6]
    wanted = one.generate_all(given, MOST, seeds=seeds)
    assert wanted[0].ids != wanted[-1].ids
    assert several.generate_all(given, MOST, seeds=seeds) == wanted
    assert several.generate(given[0], MOST, seed=3) == wanted[0]

    def allowed(number: int, ids: list[int]) -> list[int]:
        return list(range(number, 301, 1 + len(ids) % 3))

    options = {"seeds": seeds, "allowed": allowed}
    wanted = one.generate_all(given, MOST, **options)
    assert several.generate_all(given, MOST, **options) == wanted
    for number, (found, ids) in enumerate(zip(wanted, given, strict=True)):
        for place, token in enumerate(found.ids):
            assert token in allowed(number, [*ids, *found.ids[:place]])


def test_texts_streams_and_stops(program: Any) -> None:
    texts = ["Grüße", "hello", "abc", "€ 5"]
    pieces: dict[int, str] = dict.fromkeys(range(4), "")

    def show(number: int, piece: str) -> None:
        pieces[number] += piece

    found = program.generate_all(texts, 12, stream=show)
    assert [one.text for one in found] == list(pieces.values())
    cut = found[1].text[3:5]
    stopped = program.generate_all(texts, 12, stop=[cut])
    assert stopped[1].text == found[1].text[: found[1].text.index(cut)]
    assert stopped[1].reason == "stop"
    for one, other in zip(stopped, found, strict=True):
        assert other.text.startswith(one.text)
    assert program.generate_all([]) == []


def test_interrupt_ends_all(program: Any, shallow: Any) -> None:
    seen: list[str] = []

    def interrupt(number: int, piece: str) -> None:
        seen.append(piece)
        if len(seen) == 10:
            raise KeyboardInterrupt

    found = program.generate_all(prompts(), MOST, stream=interrupt)
    assert {"interrupted"} <= {one.reason for one in found}
    for one, ids in zip(found, prompts(), strict=True):
        assert alone(shallow, ids)[: len(one.ids)] == list(one.ids)
    again = program.generate_all(prompts(), MOST)
    assert [list(one.ids) for one in again] == [alone(shallow, p) for p in prompts()]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda p: p.generate_all([[1], []]),
            "prompt 1: the prompt is empty",
        ),
        (
            lambda p: p.generate_all([[1], [301], prompt(0, 30)]),
            "prompt 1: token 301 .*; prompt 2: 30 tokens after 0 are more than",
        ),
        (lambda p: p.generate_all([[1]], seeds=[1, 2]), "2 seeds for 1 prompts"),
        (lambda p: p.generate([1], keep=True), "keep, source, draft: .* several"),
        (lambda p: p.read([1]), "several sequences: use generate_all"),
    ],
)
def test_bad_input(program: Any, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(program)


def test_models_that_cannot_be_compiled(shallow: Any) -> None:
    sizes = {"d_model": 48, "num_layers": 1, "attention_heads": 4, "ffn_dim": 64}
    xglm = small("XGLM", **sizes)
    with pytest.raises(UnsupportedError, match="not those of each sequence") as error:
        devproc.from_transformers(xglm, sequences=2, **GIVEN)
    assert "compile it with sequences=1" in str(error.value)
    with pytest.raises(CompileError, match="sequences is 0; it must be 1 or more"):
        devproc.from_transformers(shallow, sequences=0, **GIVEN)
    with pytest.raises(CompileError, match="speculate is for one sequence"):
        devproc.from_transformers(shallow, sequences=2, speculate=2, **GIVEN)
