"""An encoder-decoder of transformers as two modules: one reads a source, one writes tokens."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from transformers.cache_utils import Cache, CacheLayerMixin, EncoderDecoderCache

from devproc.errors import CompileError, Problem, UnsupportedError
from devproc.frontends.transformers.decoder import (
    CachingModule,
    cache_of,
    cache_problems,
    cached_layers,
)


class SourceEncoder(nn.Module):
    """The encoder, and the projections of its result to keys and values of each layer.

    `forward(source, count)`, of which the first `count` tokens are given and the rest is
    padding, starts a new sequence: the position, which is that of the decoder, becomes 0.
    """

    position: torch.Tensor

    def __init__(self, model: Any, start: int):
        """`start`: the token with which the decoder begins."""
        super().__init__()
        self.model = model
        self.start = start
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))

    def forward(
        self, source: torch.Tensor, count: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """The token `start` (1, 1), and the keys and values of cross-attention, each
        (1, H, S, W), layer by layer.
        """
        mask = _mask(source.shape[-1], count)
        cache = _first_cache(self.model, source, mask)
        self.position.zero_()
        token = torch.full((1, 1), self.start, dtype=torch.int64)
        return token, *_keys_and_values(cache.cross_attention_cache.layers)


class SourceDecoder(CachingModule):
    """The decoder, one token per call, whose keys and values of the source are inputs.

    `forward(ids, count, *cross)` takes what `SourceEncoder` returned for `count` tokens.
    """

    def __init__(self, model: Any, source: torch.Tensor, capacity: int):
        """`source`: any value that the encoder takes. Raises UnsupportedError for a model
        with other caches than of keys and values.
        """
        own, cross = _cache_layers(model, source)
        super().__init__(model, cached_layers(own), 1, capacity)
        self.cross = _keys_and_values(cross)
        """Keys and values of `source`, layer by layer."""

    def forward(
        self, ids: torch.Tensor, count: torch.Tensor, *cross: torch.Tensor
    ) -> torch.Tensor:
        """The scores (1, V), in float32, of the token after `ids` (1, 1)."""
        length = cross[0].shape[2]
        read: list[Any] = [
            _SourceLayer(*pair) for pair in zip(cross[::2], cross[1::2], strict=True)
        ]
        own = self.cache_at(self.position + torch.arange(1))
        # Of the encoder's result only the shape is used: its keys and values are given.
        encoded = cross[0].new_zeros(1, length, 1)
        result = self.model(
            encoder_outputs=(encoded,),
            # Whisper, whose sources are whole, ignores it.
            attention_mask=_mask(length, count),
            decoder_input_ids=ids,
            use_cache=True,
            **{self.cache_name: EncoderDecoderCache(own, Cache(layers=read))},
        )
        self.position.add_(1)
        return result.logits[:, 0].float()


def example_source(model: Any, length: int | None) -> torch.Tensor:
    """A source of zeros as the encoder takes it: token ids (1, `length`), or the log-mel
    features (1, mels, frames) of Whisper.

    Raises CompileError for a missing or wrong length; UnsupportedError for another kind of
    source.
    """
    config, kind = model.config, model.main_input_name
    if kind == "input_ids":
        most = getattr(config, "max_position_embeddings", None)
        if length is None or length < 1:
            raise CompileError(
                f"source is {length}; give the most tokens that the encoder reads"
            )
        if most is not None and length > most:
            raise CompileError(f"source is {length}, the model has {most} positions")
        return torch.zeros(1, length, dtype=torch.int64)
    mels = getattr(config, "num_mel_bins", None)
    positions = getattr(config, "max_source_positions", None)
    if kind != "input_features" or mels is None or positions is None:
        why = f"its source is {kind}, neither token ids nor the features of Whisper"
        remedy = "compile the encoder and the decoder as entries of your own"
        raise UnsupportedError(
            [Problem(type(model).__name__, "its source", why, remedy)]
        )
    frames = 2 * positions  # The second convolution halves them.
    if length not in (None, frames):
        raise CompileError(f"source is {length}, the model reads {frames} frames")
    return torch.zeros(1, mels, frames)


def _cache_layers(
    model: Any, source: torch.Tensor
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The layers of self-attention and of cross-attention, found by running the model."""
    count = torch.tensor([source.shape[-1]])
    with torch.no_grad():
        cache = _first_cache(model, source, _mask(source.shape[-1], count))
    if not isinstance(cache, EncoderDecoderCache):
        why = f"a call returns a {type(cache).__name__}, not an EncoderDecoderCache"
        remedy = "give a model with use_cache=True in its configuration"
        raise UnsupportedError(
            [Problem(type(model).__name__, "its cache", why, remedy)]
        )
    own: Sequence[Any] = cache.self_attention_cache.layers
    cross: Sequence[Any] = cache.cross_attention_cache.layers
    wrong = cache_problems(model, "self-attention of layer", own)
    wrong += cache_problems(model, "cross-attention of layer", cross)
    if wrong:
        raise UnsupportedError(wrong)
    return own, cross


def _first_cache(model: Any, source: torch.Tensor, mask: torch.Tensor) -> Any:
    """The cache after a source and one token, whatever that is."""
    if source.is_floating_point():
        source = source.to(model.dtype)
    result = model(
        encoder_outputs=model.get_encoder()(source, attention_mask=mask),
        attention_mask=mask,
        decoder_input_ids=torch.zeros(1, 1, dtype=torch.int64),
        use_cache=True,
    )
    return cache_of(result)


def _keys_and_values(layers: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    return tuple(x for layer in layers for x in (layer.keys, layer.values))


def _mask(length: int, count: torch.Tensor) -> torch.Tensor:
    """The mask (1, `length`) of the first `count` tokens."""
    return (torch.arange(length) < count).unsqueeze(0)


class _SourceLayer(CacheLayerMixin):
    """Keys and values of a source, which are read only."""

    is_compileable = True

    def __init__(self, keys: torch.Tensor, values: torch.Tensor):
        super().__init__()
        self.keys, self.values = keys, values
        self.is_initialized = True

    def lazy_initialization(
        self, key_states: torch.Tensor, value_states: torch.Tensor
    ) -> None:
        """Nothing: the keys and values are given."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **_: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Never called: a cache with rows counts as updated."""
        raise NotImplementedError

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """All rows, from the first one on."""
        return self.get_seq_length(), 0

    def get_seq_length(self) -> int:
        """The rows of the source, padding included."""
        assert self.keys is not None
        return self.keys.shape[2]

    def get_max_length(self) -> int:
        """As many as there are."""
        return self.get_seq_length()
