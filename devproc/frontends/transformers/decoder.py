"""A causal language model of transformers as a module with its cache in buffers."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers.cache_utils import Cache, CacheLayerMixin

from devproc.errors import Problem, UnsupportedError


class Decoder(nn.Module):
    """A causal language model whose keys, values and position are buffers.

    Each call appends tokens to the sequences: `forward(ids, count)`, of which the first
    `count` are given and the rest is padding, returns the scores (B, V) of the token that
    follows them. Rows of the cache from the position on are never attended to, so padding is
    overwritten by the next call.
    """

    position: torch.Tensor

    def __init__(self, model: Any, batch: int, capacity: int):
        super().__init__()
        self.model = model
        self.capacity = capacity
        self.all_scores = False
        """Whether `forward` returns the scores of all tokens, (B, S, V)."""
        self.layers = _cached_layers(model, batch)
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))
        for number, shape in enumerate(self.layers):
            for name, width in (("key", shape.key), ("value", shape.value)):
                size = (batch, shape.heads, capacity, width)
                cache = torch.zeros(size, dtype=model.dtype)
                self.register_buffer(f"{name}_{number}", cache)
        accepted = inspect.signature(model.forward).parameters
        # The name of the argument before version 5.20 of transformers.
        self._cache = "cache" if "cache" in accepted else "past_key_values"

    def forward(
        self, ids: torch.Tensor, count: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The scores (B, V), in float32, of the token after the first `count` of `ids`
        (B, S); after all of them without it.
        """
        places = self.position + torch.arange(ids.shape[1])
        layers: list[Any] = [
            _Layer(self, number, shape.is_sliding, places)
            for number, shape in enumerate(self.layers)
        ]
        kept = ids.shape[1] if self.all_scores else 1
        result = self.model(
            input_ids=ids,
            position_ids=places.unsqueeze(0),
            use_cache=True,
            logits_to_keep=kept if count is None else count - 1,
            **{self._cache: Cache(layers=layers)},
        )
        self.position.add_(ids.shape[1] if count is None else count)
        scores = result.logits if self.all_scores else result.logits[:, 0]
        return scores.float()


@dataclass(frozen=True)
class CachedLayer:
    """The cache of one layer: heads, and the widths of a key and of a value."""

    heads: int
    key: int
    value: int
    is_sliding: bool


def _cached_layers(model: Any, batch: int) -> list[CachedLayer]:
    """What a model caches, found by running it on one token."""
    with torch.no_grad():
        result = model(input_ids=torch.zeros(batch, 1, dtype=torch.int64))
    cache = getattr(result, "cache", None) or getattr(result, "past_key_values", None)
    layers: list[Any] = list(getattr(cache, "layers", ()))
    wrong = [
        Problem(
            f"layer {number} of {type(model).__name__}",
            "its cache",
            f"it is kept in a {type(layer).__name__}, not as keys and values",
            "use a model whose layers attend to the tokens before",
        )
        for number, layer in enumerate(layers)
        if not isinstance(getattr(layer, "keys", None), torch.Tensor)
    ]
    if not layers:
        why = "a call returns no cache of keys and values"
        remedy = "give a causal language model with use_cache=True in its configuration"
        wrong = [Problem(type(model).__name__, "its result", why, remedy)]
    if wrong:
        raise UnsupportedError(wrong)
    return [
        CachedLayer(
            layer.keys.shape[1],
            layer.keys.shape[-1],
            layer.values.shape[-1],
            bool(getattr(layer, "is_sliding", False)),
        )
        for layer in layers
    ]


class _Layer(CacheLayerMixin):
    """The view of one layer on the buffers of a `Decoder`, as transformers asks for it.

    A layer with a sliding window keeps all rows too: its mask leaves out those before.
    """

    is_compileable = True

    def __init__(
        self, decoder: Decoder, number: int, is_sliding: bool, places: torch.Tensor
    ):
        super().__init__()
        self.keys = decoder.get_buffer(f"key_{number}")
        self.values = decoder.get_buffer(f"value_{number}")
        self.is_initialized = True
        self.is_sliding = is_sliding
        self._position = decoder.position
        self._places = places

    def lazy_initialization(
        self, key_states: torch.Tensor, value_states: torch.Tensor
    ) -> None:
        """Nothing: the buffers exist."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **_: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes the new rows, and returns all."""
        assert self.keys is not None
        assert self.values is not None
        self.keys.index_copy_(2, self._places, key_states)
        self.values.index_copy_(2, self._places, value_states)
        return self.keys, self.values

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """All rows, from the first one on."""
        assert self.keys is not None
        return self.keys.shape[2], 0

    def get_seq_length(self) -> Any:
        """The number of tokens before this call."""
        return self._position

    def get_max_length(self) -> int:
        """The capacity."""
        assert self.keys is not None
        return self.keys.shape[2]
