"""Language models on a GPU: tokens of transformers, one memory for all entries, and one
graph for each token."""

from __future__ import annotations

from typing import Any

import pytest

import devproc
from devproc.generation.language_model import LanguageModel
from devproc.generation.properties import DECODE
from devproc.targets.triton.recording.recorder import Recorder
from tests.e2e.test_language_models import PROMPT, VOCABULARY, greedy, prompt, small

COUNT = 9
ON_THE_DEVICE = ("launch", "record", "wait")
"""What a graph consists of, besides the download of the token."""


def one_graph(program: LanguageModel, recorder: Recorder) -> int:
    """The token of a step: the host queues one graph, waits, and reads it; it writes
    nothing."""
    decode = program.entries[DECODE]
    recorder.log.clear()
    found = decode()
    others = [r.kind for r in recorder.log if r.kind not in ON_THE_DEVICE]
    outputs = len(decode.artifact.interface.outputs)
    assert others == ["graph", *["download"] * outputs, "sync"]
    return int(found["token"][0])


@pytest.mark.parametrize(
    ("kind", "changes", "capacity"),
    [
        # Two parts of the keys, and grouped heads.
        ("Llama", {"max_position_embeddings": 300, "num_hidden_layers": 2}, 300),
        ("GPT2", {"n_layer": 1}, 40),
    ],
)
def test_greedy_tokens_and_one_graph_for_each(
    recorder: Recorder, kind: str, changes: dict[str, Any], capacity: int
) -> None:
    model = small(kind, **changes)
    program = devproc.from_transformers(
        model, capacity=capacity, prefill=(8,), target="cuda", cache=False
    )
    for entry in program.entries.values():
        assert all(row.in_place for row in entry.report().states.rows)
    text = program.entries[DECODE].ir("tensor")
    assert text.count("nn.cached_attention") == len(program.entries.state) // 2 - 1
    found = program.generate(prompt(), COUNT)
    assert list(found.ids) == greedy(model, prompt(), COUNT)
    assert program.position == PROMPT + COUNT - 1
    for token in greedy(model, prompt(), COUNT + 3)[COUNT:]:
        assert one_graph(program, recorder) == token


def test_sampling_is_in_the_graph(recorder: Recorder) -> None:
    model = small("Llama", num_hidden_layers=1)
    program = devproc.from_transformers(
        model,
        capacity=40,
        prefill=(8,),
        target="cuda",
        sampling={"strategy": "top_p", "p": 0.8, "k": 9, "repetition": 1.3},
        cache=False,
    )
    one = program.generate(prompt(), COUNT, seed=3)
    assert program.generate(prompt(), COUNT, seed=3).ids == one.ids
    assert program.generate(prompt(), COUNT, seed=4).ids != one.ids
    assert 0 <= one_graph(program, recorder) < VOCABULARY
