"""An encoder and a decoder in one pipeline, behind the steps that feed them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperModel

import devproc


class Part(nn.Module):
    """A part of a model as a module of its own."""

    def __init__(self, model: nn.Module, call: Callable[..., Tensor]) -> None:
        super().__init__()
        self.model, self.call = model, call

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.call(*inputs)


def parts_of(model: Any) -> tuple[Part, Part]:
    """Encoder, and decoder of (tokens, encoder's states)."""
    model.eval()

    def decode(ids: Tensor, states: Tensor) -> Tensor:
        found = model.decoder(
            input_ids=ids, encoder_hidden_states=states, use_cache=False
        )
        return found.last_hidden_state

    return (
        Part(model, lambda x: model.encoder(x).last_hidden_state),
        Part(model, decode),
    )


def test_sound_to_next_token() -> None:
    """Wave, log-mel, encoder, decoder, next token: as transformers composes them."""
    torch.manual_seed(0)
    config = WhisperConfig(
        vocab_size=60, d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, max_source_positions=50, max_target_positions=10,
        num_mel_bins=80, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1,
    )  # fmt: skip
    model = WhisperModel(config)
    encoder, decoder = parts_of(model)
    wave = np.random.default_rng(0).integers(-9000, 9000, (1, 12345)).astype(np.int16)
    extract: Any = WhisperFeatureExtractor(chunk_length=1)
    sound = (wave / 32768).astype(np.float32)
    features = extract(
        list(sound), sampling_rate=16000, return_tensors="pt"
    ).input_features
    ids = torch.randint(0, 60, (1, 4))
    with torch.no_grad():
        states = encoder(features)
        last = decoder(ids, states)[:, -1]
        wanted = last @ model.decoder.embed_tokens.weight.T
    pipe = devproc.pipeline("transcribe")
    mel = pipe.log_mel(pipe.input("wave", "int16", wave.shape), length=16000)
    so_far = pipe.input("ids", "int64", (1, 4), "")
    encoded = pipe.model(torch.export.export(encoder, (features,)), mel)
    head = Part(
        model, lambda i, s: decoder(i, s)[:, -1] @ model.decoder.embed_tokens.weight.T
    )
    logits = pipe.model(torch.export.export(head, (ids, states)), so_far, encoded)
    pipe.output("logits", logits)
    pipe.output("token", pipe.next_token(logits))
    found = devproc.compile(pipe, threads=1)(wave=wave, ids=ids.numpy())
    atol = 1e-4 * float(wanted.abs().max())
    np.testing.assert_allclose(found["logits"], wanted.numpy(), rtol=0, atol=atol)
    assert found["token"].tolist() == wanted.argmax(1).tolist()
