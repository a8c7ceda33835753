"""A causal language model of transformers as a module with its cache in buffers."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram
from transformers.cache_utils import Cache, CacheLayerMixin

from devproc.errors import Problem, UnsupportedError
from devproc.frontends.torch_export.graph.source import first_line


class CachingModule(nn.Module):
    """A model whose keys and values of self-attention, and whose position, are buffers.

    `batch` sequences have a cache each, of `capacity` rows, and a position each.
    """

    position: torch.Tensor

    def __init__(
        self,
        model: Any,
        layers: Sequence[CachedLayer],
        batch: int,
        capacity: int,
        int8: bool = False,
    ):
        """`int8`: keys and values are stored as int8, with a float32 scale for each row of
        each head."""
        super().__init__()
        self.model = model
        self.layers = layers
        self.int8 = int8
        self.register_buffer("position", torch.zeros(batch, dtype=torch.int64))
        for number, shape in enumerate(self.layers):
            for name, width in (("key", shape.key), ("value", shape.value)):
                size = (batch, shape.heads, capacity, width)
                cache = torch.zeros(size, dtype=torch.int8 if int8 else model.dtype)
                self.register_buffer(f"{name}_{number}", cache)
                if int8:
                    scales = torch.zeros(*size[:-1], 1)
                    self.register_buffer(f"{name}_scale_{number}", scales)
        accepted = inspect.signature(model.forward).parameters
        # The name of the argument before version 5.20 of transformers.
        self.cache_name = "cache" if "cache" in accepted else "past_key_values"

    def cache_at(
        self,
        places: torch.Tensor,
        begin: torch.Tensor | None = None,
        sequence: torch.Tensor | None = None,
    ) -> Cache:
        """The cache that writes new rows at these places: (S) of the one sequence, or
        (B, S), which `begin` (B), of one `sequence` or of all."""
        begin = self.position if begin is None else begin
        layers: list[Any] = [
            _Layer(self, number, shape.is_sliding, places, begin, sequence)
            for number, shape in enumerate(self.layers)
        ]
        return Cache(layers=layers)


class Decoder(CachingModule):
    """A causal language model whose keys, values and position are buffers.

    Each call appends tokens to the sequences: `forward(ids, count)`, of which the first
    `count` are given and the rest is padding, returns the scores (B, V) of the token that
    follows them. Rows of the cache from the position on are never attended to, so padding is
    overwritten by the next call.
    """

    def __init__(self, model: Any, capacity: int, int8: bool = False):
        super().__init__(model, layers_of_decoder(model), 1, capacity, int8)
        self.all_scores = False
        """Whether `forward` returns the scores of all tokens, (B, S, V)."""

    def forward(
        self, ids: torch.Tensor, count: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The scores (B, V), in float32, of the token after the first `count` of `ids`
        (B, S); after all of them without it.
        """
        places = self.position + torch.arange(ids.shape[1])
        kept = ids.shape[1] if self.all_scores else 1
        result = self.model(
            input_ids=ids,
            position_ids=places.unsqueeze(0),
            use_cache=True,
            logits_to_keep=kept if count is None else count - 1,
            **{self.cache_name: self.cache_at(places)},
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


def exported_program(module: Any, arguments: tuple[Any, ...]) -> ExportedProgram:
    """A module around a language model, exported.

    Raises UnsupportedError with what the model or torch.export says.
    """
    with _failures(module.model, "torch.export"):
        return torch.export.export(module, arguments)


@contextmanager
def _failures(model: Any, what: str) -> Generator[None]:
    """Whatever a model raises, as an UnsupportedError."""
    try:
        yield
    except Exception as error:
        remedy = "see the error above for its line; give a model that generates so"
        why = f"it raised {type(error).__name__}: {first_line(error)}"
        problem = Problem(type(model).__name__, what, why, remedy)
        raise UnsupportedError([problem]) from error


@contextmanager
def gathered_experts(model: Any) -> Generator[None]:
    """Exports inside have each token gather the weights of its experts, which are read
    where they are: sorting tokens by expert, the default of transformers, pays for GPUs.
    """
    before = None
    if hasattr(model, "get_experts_implementation"):
        before = model.get_experts_implementation()
        if any(before.values()):
            model.set_experts_implementation("batched_mm")
    try:
        yield
    finally:
        if before is not None and any(before.values()):
            model.set_experts_implementation(before)


def cache_of(result: Any) -> Any:
    """The cache that a call of a model returned; None without one."""
    return getattr(result, "cache", None) or getattr(result, "past_key_values", None)


def layers_of_decoder(model: Any) -> list[CachedLayer]:
    """What a causal language model caches, found by running it on one token."""
    with torch.no_grad(), _failures(model, "a call with one token"):
        result = model(input_ids=torch.zeros(1, 1, dtype=torch.int64))
    layers: list[Any] = list(getattr(cache_of(result), "layers", ()))
    wrong = cache_problems(model, "layer", layers)
    if not layers:
        why = "a call returns no cache of keys and values"
        remedy = "give a causal language model with use_cache=True in its configuration"
        wrong = [Problem(type(model).__name__, "its result", why, remedy)]
    if wrong:
        raise UnsupportedError(wrong)
    return cached_layers(layers)


def cache_problems(model: Any, what: str, layers: Sequence[Any]) -> list[Problem]:
    """The layers of a cache that are kept otherwise than as keys and values."""
    return [
        Problem(
            f"{what} {number} of {type(model).__name__}",
            "its cache",
            f"it is kept in a {type(layer).__name__}, not as keys and values",
            "use a model whose layers attend to the tokens before",
        )
        for number, layer in enumerate(layers)
        if not isinstance(getattr(layer, "keys", None), torch.Tensor)
    ]


def cached_layers(layers: Sequence[Any]) -> list[CachedLayer]:
    """The sizes of the layers of a cache."""
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
    """The view of one layer on the buffers of a `CachingModule`, as transformers asks for it.

    A layer with a sliding window keeps all rows too: its mask leaves out those before.
    """

    is_compileable = True

    def __init__(
        self,
        decoder: CachingModule,
        number: int,
        is_sliding: bool,
        places: torch.Tensor,
        begin: torch.Tensor,
        sequence: torch.Tensor | None,
    ):
        super().__init__()
        self.keys = decoder.get_buffer(f"key_{number}")
        self.values = decoder.get_buffer(f"value_{number}")
        self._scales = (
            [decoder.get_buffer(f"{name}_scale_{number}") for name in ("key", "value")]
            if decoder.int8
            else []
        )
        self.is_initialized = True
        self.is_sliding = is_sliding
        self._places, self._begin, self._sequence = places, begin, sequence

    def lazy_initialization(
        self, key_states: torch.Tensor, value_states: torch.Tensor
    ) -> None:
        """Nothing: the buffers exist."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **_: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes the new rows, and returns all, of the sequences that are read."""
        assert self.keys is not None
        assert self.values is not None
        if self._scales:
            key_scales, value_scales = self._scales
            return (
                self._updated_int8(self.keys, key_scales, key_states),
                self._updated_int8(self.values, value_scales, value_states),
            )
        return self._updated(self.keys, key_states), self._updated(
            self.values, value_states
        )

    def _updated(self, cache: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        if self._places.dim() == 1:
            return cache.index_copy_(2, self._places, rows)
        one = self._sequence
        sequences = torch.arange(cache.shape[0]) if one is None else one
        cache[sequences.unsqueeze(1), :, self._places] = rows.transpose(1, 2)
        return cache if one is None else cache.index_select(0, one)

    def _updated_int8(
        self, numbers: torch.Tensor, scales: torch.Tensor, rows: torch.Tensor
    ) -> torch.Tensor:
        """Rounds new rows to the nearest of 255 multiples of a scale, which makes the
        largest element 127; returns all rows in float32."""
        scale = rows.abs().amax(-1, keepdim=True) / 127
        # Rows of zeros have the scale 0.
        rounded = (rows / torch.where(scale > 0, scale, 1.0)).round()
        all_numbers = self._updated(numbers, rounded.to(torch.int8))
        return all_numbers.float() * self._updated(scales, scale)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """All rows, from the first one on."""
        assert self.keys is not None
        return self.keys.shape[2], 0

    def get_seq_length(self) -> Any:
        """The number of tokens before this call, of each sequence that is read."""
        return self._begin

    def get_max_length(self) -> int:
        """The capacity."""
        assert self.keys is not None
        return self.keys.shape[2]
