"""A causal language model of transformers as a module with its cache in buffers."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.export import ExportedProgram
from transformers.cache_utils import (
    CacheLayerMixin,
    DummyLayer,
    LinearAttentionCacheLayerMixin,
    LinearAttentionLayer,
)

from devproc.errors import CompileError, Problem, UnsupportedError
from devproc.frontends.dsl import Pipeline
from devproc.frontends.dsl.values.value import Value
from devproc.frontends.torch_export.graph.source import first_line
from devproc.frontends.transformers.recurrences import (
    ContinuedCache,
    continued_recurrences,
)


class CachingModule(nn.Module):
    """A model whose cache, and whose position, are buffers.

    `batch` sequences have a cache each: `capacity` rows of keys and values, states of
    convolutions and recurrences, and a position.
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
        each head; raises CompileError where there are none."""
        super().__init__()
        self.model = model
        self.layers = layers
        self.capacity = capacity
        self.int8 = int8
        self.register_buffer("position", torch.zeros(batch, dtype=torch.int64))
        for number, layer in enumerate(self.layers):
            if layer.rows is not None:
                self._register_rows(number, layer.rows, batch)
            for name, one in layer.states.items():
                state = one.new_zeros(batch, *one.shape[1:])
                self.register_buffer(f"{name}_{number}", state)
        if int8 and not self.has_rows:
            raise CompileError(
                "cache_dtype='int8' is for keys and values; this model has none, only "
                "states, which keep their dtype"
            )
        accepted = inspect.signature(model.forward).parameters
        # The name of the argument before version 5.20 of transformers.
        self.cache_name = "cache" if "cache" in accepted else "past_key_values"

    def _register_rows(self, number: int, rows: CachedRows, batch: int) -> None:
        for name, width in (("key", rows.key), ("value", rows.value)):
            size = (batch, rows.heads, self.capacity, width)
            dtype = torch.int8 if self.int8 else self.model.dtype
            self.register_buffer(f"{name}_{number}", torch.zeros(size, dtype=dtype))
            if self.int8:
                scales = torch.zeros(*size[:-1], 1)
                self.register_buffer(f"{name}_scale_{number}", scales)

    @property
    def has_rows(self) -> bool:
        """Whether a layer has keys and values."""
        return any(layer.rows is not None for layer in self.layers)

    @property
    def state_names(self) -> list[str]:
        """The buffers that are states of convolutions and recurrences."""
        layers = enumerate(self.layers)
        return [f"{name}_{number}" for number, one in layers for name in one.states]

    def count_of(self, pipe: Pipeline, size: int) -> Value:
        """How many of `size` tokens a pipeline reads: an input, or all of them, where
        padding would enter states of recurrences."""
        if self.state_names:
            return pipe.constant("count", np.array([size], np.int64))
        return pipe.input("count", "int64", (1,))

    def cache_at(
        self,
        places: torch.Tensor,
        begin: torch.Tensor | None = None,
        sequence: torch.Tensor | None = None,
        states: Mapping[str, torch.Tensor] | None = None,
    ) -> ContinuedCache:
        """The cache that writes new rows at these places: (S) of the one sequence, or
        (B, S), which `begin` (B), of one `sequence` or of all. `states` are written instead
        of the buffers of these names.
        """
        begin = self.position if begin is None else begin
        if states is None:
            states = {name: self.get_buffer(name) for name in self.state_names}
        layers: list[Any] = []
        for number, layer in enumerate(self.layers):
            own = {name: states[f"{name}_{number}"] for name in layer.states}
            if layer.rows is not None:
                kind = _MixedLayer if own else _Layer
                layers.append(kind(self, number, places, begin, sequence))
            else:
                layers.append(LinearAttentionLayer() if own else DummyLayer())
            if own:
                _show(layers[-1], own)
        return ContinuedCache(layers=layers)


class Decoder(CachingModule):
    """A causal language model whose cache and position are buffers.

    Each call appends tokens to the sequences: `forward(ids, count)`, of which the first
    `count` are given and the rest is padding, returns the scores (B, V) of the token that
    follows them. Rows of the cache from the position on are never attended to, so padding is
    overwritten by the next call; states of recurrences would keep it (`count_of`).
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
        cache = self.cache_at(places)
        with continued_recurrences(self.model, cache):
            result = self.model(
                input_ids=ids,
                position_ids=places.unsqueeze(0),
                use_cache=True,
                logits_to_keep=kept if count is None else count - 1,
                **{self.cache_name: cache},
            )
        self.position.add_(ids.shape[1] if count is None else count)
        scores = result.logits if self.all_scores else result.logits[:, 0]
        return scores.float()


@dataclass(frozen=True)
class CachedRows:
    """Keys and values of a layer: heads, and the widths of a key and of a value."""

    heads: int
    key: int
    value: int
    is_sliding: bool


@dataclass(frozen=True)
class CachedLayer:
    """What a layer caches: keys and values, states of a fixed size, both, or nothing."""

    rows: CachedRows | None
    states: Mapping[str, torch.Tensor]
    """A state of each kind for one sequence: `conv_0` or `recurrent_0`, and further ones of
    layers with several."""


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
    wrong = cache_problems(model, "layer", layers, _is_cached)
    if not layers:
        why = "a call returns no cache of keys and values, or of states"
        remedy = (
            "give a causal language model with use_cache=True in its configuration, whose "
            "states are in a cache of transformers, not in its modules (RecurrentGemma) or "
            "in a list (RWKV)"
        )
        wrong = [Problem(type(model).__name__, "its result", why, remedy)]
    if wrong:
        raise UnsupportedError(wrong)
    return cached_layers(layers)


def _has_rows(layer: Any) -> bool:
    return isinstance(getattr(layer, "keys", None), torch.Tensor)


def _is_cached(layer: Any) -> bool:
    return _has_rows(layer) or bool(_states_of(layer)) or isinstance(layer, DummyLayer)


def _states_of(layer: Any) -> dict[str, torch.Tensor]:
    """The states of convolutions and recurrences of a layer, by name."""
    if not isinstance(layer, LinearAttentionCacheLayerMixin):
        return {}
    kinds = {"conv": layer.conv_states, "recurrent": layer.recurrent_states}
    return {
        f"{kind}_{index}": state
        for kind, states in kinds.items()
        for index, state in states.items()
        if state is not None
    }


def cache_problems(
    model: Any,
    what: str,
    layers: Sequence[Any],
    is_right: Callable[[Any], bool] = _has_rows,
) -> list[Problem]:
    """The layers of a cache that are kept otherwise than as keys and values, or than is
    right."""
    kept = "keys and values" + ("" if is_right is _has_rows else ", or states")
    return [
        Problem(
            f"{what} {number} of {type(model).__name__}",
            "its cache",
            f"what it keeps is not in a {type(layer).__name__} as {kept}",
            "use a model whose cache of transformers has all that it keeps",
        )
        for number, layer in enumerate(layers)
        if not is_right(layer)
    ]


def cached_layers(layers: Sequence[Any]) -> list[CachedLayer]:
    """The sizes of the layers of a cache."""
    return [
        CachedLayer(_rows_of(layer) if _has_rows(layer) else None, _states_of(layer))
        for layer in layers
    ]


def _rows_of(layer: Any) -> CachedRows:
    sizes = layer.keys.shape[1], layer.keys.shape[-1], layer.values.shape[-1]
    return CachedRows(*sizes, bool(getattr(layer, "is_sliding", False)))


class _Layer(CacheLayerMixin):
    """The view of one layer on the buffers of a `CachingModule`, as transformers asks for it.

    A layer with a sliding window keeps all rows too: its mask leaves out those before.
    """

    is_compileable = True

    def __init__(
        self,
        decoder: CachingModule,
        number: int,
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
        rows = decoder.layers[number].rows
        assert rows is not None
        self.is_sliding = rows.is_sliding
        self._places, self._begin, self._sequence = places, begin, sequence

    def lazy_initialization(self, *_: Any, **__: Any) -> None:
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


class _MixedLayer(_Layer, LinearAttentionLayer):
    """The view of one layer on keys and values and on states."""


def _show(layer: Any, states: Mapping[str, torch.Tensor]) -> None:
    """Lets a layer continue these states, which its updates overwrite."""
    named = [(*name.split("_"), state) for name, state in states.items()]
    LinearAttentionLayer.__init__(layer, 1 + max(int(index) for _, index, _ in named))
    for kind, index, state in named:
        number = int(index)
        getattr(layer, f"{kind}_states")[number] = state
        getattr(layer, f"is_{kind}_states_initialized")[number] = True
        layer.has_previous_state[number] = True
        if kind == "conv":
            layer.conv_kernel_size[number] = state.shape[-1]
