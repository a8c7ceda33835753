"""Recurrences over the tokens of a prompt, in a form that is exported as a loop.

transformers computes them by Python loops over tokens or chunks, which the exporter would
unroll, and Mamba's always begins with zeros. Here each begins with the state of the cache, so
a prompt may be read in several parts.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch._higher_order_ops.scan import scan
from torch.nn import functional
from transformers.cache_utils import Cache

Step = Callable[[torch.Tensor, tuple[torch.Tensor, ...]], Any]
"""The state and the inputs of a token -> the next state, and the output of the token."""


class ContinuedCache(Cache):
    """A cache that remembers the recurrent state that was read last."""

    recurrent_state: torch.Tensor | None = None

    def get_recurrent_state(
        self, layer_idx: int, state_idx: int = 0
    ) -> torch.Tensor | None:
        """The state of a layer, as `Cache` has it."""
        self.recurrent_state = super().get_recurrent_state(layer_idx, state_idx)
        return self.recurrent_state


@contextmanager
def continued_recurrences(model: Any, cache: ContinuedCache) -> Generator[None]:
    """Lets the recurrences of a model begin with the states of a cache."""
    modules = {sys.modules[type(module).__module__] for module in model.modules()}
    before: list[tuple[Any, str, Any]] = []
    for module in modules:
        found = {name: getattr(module, name, None) for name in _RECURRENCES}
        before += [(module, name, given) for name, given in found.items() if given]
    for module, name, given in before:
        setattr(module, name, partial(_RECURRENCES[name], cache, given))
    try:
        yield
    finally:
        for module, name, given in before:
            setattr(module, name, given)


def _over_tokens(
    step: Step, state: torch.Tensor, *inputs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The state after all tokens, and their outputs (B, S, ...), of inputs (B, S, ...)."""
    rows = tuple(x.transpose(0, 1) for x in inputs)
    state, outputs = scan(step, state, rows, dim=0)
    return state, outputs.transpose(0, 1)


def _selective_scan(
    cache: ContinuedCache,
    _: Any,
    hidden_states: torch.Tensor,
    dt: torch.Tensor,
    A: torch.Tensor,
    B: torch.Tensor,
    C: torch.Tensor,
    D: torch.Tensor,
    z: torch.Tensor,
    delta_bias: torch.Tensor | None,
    **__: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The selective state spaces of Mamba: outputs (B, C, S) and the state (B, C, N).

    Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023).
    """
    if delta_bias is not None:
        dt = dt + delta_bias[:, None]
    dt = functional.softplus(dt).float()
    state = cache.recurrent_state
    shape = (*hidden_states.shape[:2], A.shape[-1])
    if state is None or state.shape != shape:
        raise ValueError(f"its state is not of shape {shape}, a row for each channel")

    def step(
        state: torch.Tensor, now: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        x, dt, b, c = now
        decay, more = torch.exp(dt[..., None] * A), (dt * x)[..., None] * b[:, None]
        state = decay * state + more
        return state, (state * c[:, None]).sum(-1)

    rows = (t.float().transpose(1, 2) for t in (hidden_states, dt, B, C))
    state, outputs = _over_tokens(step, state.float(), *rows)
    outputs = outputs.transpose(1, 2) + hidden_states * D[:, None]
    return outputs * functional.silu(z), state


def _delta_rule(
    _: ContinuedCache,
    __: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    initial_state: torch.Tensor,
    use_qk_l2norm_in_kernel: bool = False,
    **___: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gated delta rule: outputs (B, S, H, V) and the state (B, H, K, V).

    Yang et al., Gated Delta Networks: Improving Mamba2 with Delta Rule (2024). `g` is the
    logarithm of the decay of each head (B, S, H), or of each of its rows (B, S, H, K).
    """
    heads = value.shape[2]
    q, k = (x.float() for x in (query, key))
    if use_qk_l2norm_in_kernel:
        q, k = (x * (x.square().sum(-1, keepdim=True) + 1e-6).rsqrt() for x in (q, k))
    q = q * q.shape[-1] ** -0.5
    q, k = (x.repeat_interleave(heads // x.shape[2], dim=2) for x in (q, k))
    decay = g.float().exp()
    decay = decay.reshape(*decay.shape[:3], -1, 1)

    def step(
        state: torch.Tensor, now: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        q, k, v, decay, beta = now
        state = state * decay
        change = (v - (state * k[..., None]).sum(-2)) * beta[..., None]
        state = state + k[..., None] * change[..., None, :]
        return state, (state * q[..., None]).sum(-2)

    inputs = q, k, value.float(), decay, beta.float()
    state, outputs = _over_tokens(step, initial_state.float(), *inputs)
    return outputs.to(query.dtype), state


def _chunk_scan(
    _: ContinuedCache,
    given: Callable[..., Any],
    hidden_states: torch.Tensor,
    *arguments: Any,
    chunk_size: int,
    **options: Any,
) -> Any:
    """Mamba 2's, which begins with a state itself, without padding of a short prompt."""
    chunk_size = min(chunk_size, hidden_states.shape[1])
    return given(hidden_states, *arguments, chunk_size=chunk_size, **options)


_RECURRENCES: dict[str, Callable[..., Any]] = {
    "mamba_selective_scan": _selective_scan,
    "mamba2_chunk_scan": _chunk_scan,
    "torch_chunk_gated_delta_rule": _delta_rule,
    "chunk_kimi_delta_attention": _delta_rule,
}
"""The function of a model's module -> that which takes its place; before its arguments it
gets the cache and the function itself."""
