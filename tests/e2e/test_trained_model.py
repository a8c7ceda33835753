"""A small language model, trained here on Python's own documentation, by characters."""

from __future__ import annotations

from pydoc_data.topics import topics
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import transformers

import devproc
from devproc.frontends.transformers.decoder import Decoder

CAPACITY, WINDOW, STEPS = 256, 64, 300
TEXT = " ".join(" ".join(topics[name] for name in sorted(topics)).split())
LETTERS = sorted(set(TEXT))
NUMBERS = {letter: number for number, letter in enumerate(LETTERS)}
IDS = torch.tensor([NUMBERS[letter] for letter in TEXT])
HELD_OUT = IDS[-CAPACITY:]


@pytest.fixture(scope="module")
def model() -> Any:
    """A GPT-2 of 0.4 million parameters that has read some of the text."""
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(LETTERS),
        n_positions=CAPACITY,
        n_embd=128,
        n_layer=2,
        n_head=4,
        bos_token_id=None,
        eos_token_id=None,
    )
    made = transformers.GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(made.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, STEPS)
    for _ in range(STEPS):
        starts = torch.randint(0, len(IDS) - CAPACITY - WINDOW, (8,)).tolist()
        batch = torch.stack([IDS[start : start + WINDOW] for start in starts])
        loss: Any = made(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return made.eval()


@pytest.fixture(scope="module")
def wanted(model: Any) -> torch.Tensor:
    """The logarithms of the probabilities of each token, in float64."""
    with torch.no_grad():
        scores = model.double()(input_ids=HELD_OUT[None, :-1]).logits[0]
    model.float()
    return scores.log_softmax(-1)


def perplexity(found: torch.Tensor) -> float:
    """Of the text, by the probabilities after each of its letters."""
    return float(F.nll_loss(found, HELD_OUT[1:]).exp())


def test_it_has_learned(wanted: torch.Tensor) -> None:
    assert perplexity(wanted) < 15


def test_the_same_text_as_pytorch(model: Any) -> None:
    program = devproc.from_transformers(
        model, capacity=CAPACITY, prefill=(32,), cache=False
    )
    for start in (1000, 20000, 77777):
        prompt = IDS[start : start + 40]
        found = program.generate(prompt.tolist(), 200)
        expected = model.generate(prompt[None], max_new_tokens=200, do_sample=False)
        text, same = (
            "".join(LETTERS[i] for i in ids) for ids in (found.ids, expected[0, 40:])
        )
        assert text == same


@pytest.mark.parametrize(
    ("weights", "most_divergence", "most_change"),
    [("original", 1e-12, 1e-6), ("int8", 5e-6, 2e-3), ("int4", 1e-3, 2e-2)],
)
def test_accuracy_of_formats(
    model: Any,
    wanted: torch.Tensor,
    weights: str,
    most_divergence: float,
    most_change: float,
) -> None:
    """The mean divergence from float64, and the change of the perplexity, by steps."""
    decoder = Decoder(model.requires_grad_(False), CAPACITY).eval()
    exported = torch.export.export(decoder, (HELD_OUT[None, :1],))
    program = devproc.compile(exported, weights=weights, cache=False)
    rows = [program(letter.reshape(1, 1)) for letter in HELD_OUT[:-1]]
    found = torch.cat(rows).double().log_softmax(-1)
    divergence = F.kl_div(found, wanted, log_target=True, reduction="batchmean")
    change = perplexity(found) / perplexity(wanted) - 1
    assert divergence < most_divergence
    assert abs(change) < most_change
