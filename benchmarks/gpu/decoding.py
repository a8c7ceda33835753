"""Steps of decoding: whole tokens beside transformers, and attention over a cache beside a
copy of as many bytes."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from generation import SHAPES
from torch import nn

import devproc
from gpu.card import Card

PROMPT, TOKENS, CAPACITY, ROUNDS = 128, 64, 1024, 5

PEERS: dict[str, dict[str, Any]] = {
    "eager": {},
    # With a static cache, transformers compiles the step, with graphs.
    "default": {"cache_implementation": "static"},
}
"""A peer -> its options of `generate`."""


def language_model(name: str, layers: int | None = None) -> Any:
    """A Llama of a real shape with random weights, perhaps with fewer layers."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    shape = SHAPES[name] | ({} if layers is None else {"num_hidden_layers": layers})
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    config = LlamaConfig(max_position_embeddings=CAPACITY, **shape, **special)
    return LlamaForCausalLM(config).to(torch.bfloat16).eval()


def decode_steps(name: str, card: Card) -> list[dict[str, Any]]:
    """Seconds for each token after a prompt, the best of some rounds, in bfloat16."""
    model = language_model(name, 2 if card.dry else None)
    program = devproc.from_transformers(
        model, capacity=CAPACITY, prefill=(PROMPT,), target="cuda"
    )
    row: dict[str, Any] = {"model": f"{name}, one token", "dtype": "bfloat16"}
    if card.dry:
        return [row | {"steps": len(program.entries["decode"].artifact.host.steps)}]
    ids = torch.randint(3, SHAPES[name]["vocab_size"], (1, PROMPT))
    found = [program.generate(ids[0].tolist(), TOKENS) for _ in range(ROUNDS)]
    row["call"] = min(each.seconds for each in found) / (TOKENS - 1)
    model = model.to(card.device)
    given = ids.to(card.device)
    for peer, options in PEERS.items():
        row[peer] = seconds_of_peer(model, given, options)
    size = sum(p.numel() * p.element_size() for p in model.parameters())
    row["tokens_per_second"] = 1 / row["call"]
    row["bytes_per_second"] = size / row["call"]
    return [row]


def seconds_of_peer(model: Any, ids: torch.Tensor, options: dict[str, Any]) -> float:
    """Seconds for each token of transformers, without those of the prompt."""

    def seconds(tokens: int) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        model.generate(
            ids,
            max_new_tokens=tokens,
            min_new_tokens=tokens,
            do_sample=False,
            **options,
        )
        torch.cuda.synchronize()
        return time.perf_counter() - start

    times = [seconds(TOKENS) - seconds(1) for _ in range(ROUNDS)]
    return min(times) / (TOKENS - 1)


class OverACache(nn.Module):
    """One query of grouped heads over the rows of a cache up to a position."""

    def forward(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        position: torch.Tensor,
    ) -> torch.Tensor:
        """`q` of (1, heads, 1, size), `k` and `v` of (1, groups, rows, size)."""
        mask = torch.arange(k.shape[-2]) <= position[:, None]
        return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


HEADS, GROUPS, SIZE, ROWS = 32, 8, 128, 32768
POSITIONS = 127, 4095, ROWS - 1


def cached_attention(card: Card) -> list[dict[str, Any]]:
    """Bytes of keys and values per second at some positions, beside a copy of as many."""
    q = torch.randn(1, HEADS, 1, SIZE).to(torch.bfloat16)
    k, v = (torch.randn(1, GROUPS, ROWS, SIZE).to(torch.bfloat16) for _ in "kv")
    inputs = q, k, v, torch.tensor([0])
    exported = torch.export.export(OverACache(), inputs)
    program = devproc.compile(exported, target="cuda")
    rows: list[dict[str, Any]] = []
    for last in () if card.dry else POSITIONS:
        given = [x.to(card.device) for x in (q, k, v, torch.tensor([last]))]
        moved = 2 * GROUPS * (last + 1) * SIZE * 2
        seconds = card.seconds(partial(program, *given), graph=True)
        seen = [x[:, :, : last + 1].contiguous() for x in given[1:3]]
        copies = [torch.empty_like(x) for x in seen]

        def copy(seen: Any = seen, copies: Any = copies) -> None:
            for source, destination in zip(seen, copies, strict=True):
                destination.copy_(source)

        copied = card.seconds(copy, graph=True)
        rows.append(
            {
                "what": f"cached attention at {last}",
                "bytes_per_second": moved / seconds,
                # A copy also writes what it reads.
                "copy_bytes_per_second": 2 * moved / copied,
            }
        )
    return rows or [{"what": "cached attention", "kernels": kernels_of(program)}]


def kernels_of(program: devproc.Program) -> int:
    """The launches of a call."""
    return sum(step.kind == "launch" for step in program.artifact.host.steps)
