"""What the blocks of reference pages take as given: small models, pipelines, inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers as tr
from torch import nn

import devproc
from tests.e2e.test_language_models import small, tokenizer

Names = dict[str, Any]


def exported() -> torch.export.ExportedProgram:
    """A linear layer: (2, 37) float32 -> (2, 5)."""
    torch.manual_seed(0)
    return torch.export.export(nn.Linear(37, 5).eval(), (torch.randn(2, 37),))


def common() -> Names:
    """What most blocks take as given."""
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (13, 9, 3))
    resized = pipe.resize(image, (7, 5), like="pillow", mode="bilinear")
    pipe.output("small", resized)
    frame = np.random.default_rng(0).integers(0, 256, (13, 9, 3), np.uint8)
    return {
        "devproc": devproc,
        "torch": torch,
        "exported": exported(),
        "pipe": pipe,
        "frame": frame,
    }


class Orthogonal(nn.Module):
    """Calls an operator that is not compiled."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.qr(x)[0] + 1


class Counter(nn.Module):
    """Writes to a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.count: torch.Tensor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.count.add_(1)


class Cache(nn.Module):
    """Keeps rows at their positions: as many as one call gives."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(8, 3))
        self.rows: torch.Tensor

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return self.rows.index_copy_(0, positions, x).sum(0)


def fallback() -> Names:
    """A model with an operator that is not compiled."""
    return {"exported": torch.export.export(Orthogonal(), (torch.ones(4, 3),))}


def states() -> Names:
    """A program with a state, and a value for it."""
    counter = torch.export.export(Counter(), (torch.ones(3),))
    return {"program": devproc.compile(counter), "value": np.ones(3, np.float32)}


def calls_in_a_row() -> Names:
    """A pipeline that takes only a state."""
    pipe = devproc.pipeline("counter")
    count = pipe.add(pipe.state("count", "int64", (1,)), 1)
    pipe.update("count", count)
    pipe.output("x", pipe.add(count, 1))
    return {"pipe": pipe, "count": count}


def entries() -> Names:
    """Two exports of one model, and inputs for them."""
    prompt, positions = torch.ones(4, 3), torch.arange(4)
    token, position = torch.ones(1, 3), torch.tensor([4])
    model = Cache()
    return {
        "long": torch.export.export(model, (prompt, positions)),
        "short": torch.export.export(model, (token, position)),
        **{"prompt": prompt, "positions": positions},
        **{"token": token, "position": position},
    }


def pretrained(model: nn.Module) -> Names:
    """A small model with random weights instead of one that is downloaded."""
    made = tr.PreTrainedTokenizerFast(tokenizer_object=tokenizer())
    return {
        "AutoTokenizer": SimpleNamespace(from_pretrained=lambda _: made),
        "AutoModelForCausalLM": SimpleNamespace(from_pretrained=lambda _: model),
        "AutoModelForSeq2SeqLM": SimpleNamespace(from_pretrained=lambda _: model),
    }


def decoder() -> Names:
    """A Llama of one layer, with the vocabulary of the tokenizer."""
    model = small("Llama", num_hidden_layers=1, max_position_embeddings=2048)
    return pretrained(model)


def encoder_decoder() -> Names:
    """A T5 of one layer each, with the vocabulary of the tokenizer."""
    config = tr.T5Config(
        vocab_size=len(tokenizer().get_vocab()),
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=1,
        num_heads=4,
        decoder_start_token_id=0,
    )
    return pretrained(tr.T5ForConditionalGeneration(config).eval())


def steps() -> Names:
    """A program with steps."""
    return {"program": devproc.compile(common()["pipe"])}


def other_weights() -> Names:
    """A file with other weights of the same model."""
    torch.save(nn.Linear(37, 5).state_dict(), "other.pt")
    return {"source": exported()}


SETUPS: Mapping[tuple[str, str], Callable[[], Names]] = {
    ("json", "Programs as JSON"): other_weights,
    ("running", "Operators that are not compiled"): fallback,
    ("running", "Compare a program with PyTorch, op by op"): common,
    ("running", "Buffers that a model writes to"): states,
    ("running", "Calls in a row"): calls_in_a_row,
    ("running", "Several entries"): entries,
    ("running", "Text from language models"): decoder,
    ("running", "Encoder-decoders"): encoder_decoder,
    ("running", "Saved programs"): steps,
    ("running", "Checked builds"): common,
    ("running", "What the steps promise"): steps,
}
"""Page and heading -> the names that the blocks beneath it take as given."""
