"""Projections of heads that become one product, beside the eager module."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional

import devproc
from devproc.driver import parse_module
from devproc.ir.program.kernel_modules import marked_functions

CAPACITY, WIDTH, HEADS, SHARED, DEPTH = 13, 128, 6, 2, 32


class Layer(nn.Module):
    """Grouped queries with a rotary embedding, over caches of keys and values."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, batch: int, bias: bool, dtype: torch.dtype) -> None:
        super().__init__()
        sizes = (HEADS, SHARED, SHARED)
        self.projections = nn.ModuleList(
            nn.Linear(WIDTH, heads * DEPTH, bias, dtype=dtype) for heads in sizes
        )
        cache = torch.zeros(batch, SHARED, CAPACITY, DEPTH, dtype=dtype)
        self.register_buffer("keys", cache)
        self.register_buffer("values", cache.clone())

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        batch, rows, _ = x.shape
        q, k, v = (
            p(x).view(batch, rows, -1, DEPTH).transpose(1, 2) for p in self.projections
        )
        angles = position[:, None] * torch.arange(DEPTH, dtype=x.dtype) / DEPTH
        cos, sin = angles.cos(), angles.sin()
        self.keys.index_copy_(2, position, k * cos + turned(k) * sin)
        self.values.index_copy_(2, position, v)
        sees = torch.arange(CAPACITY) <= position[:, None]
        return functional.scaled_dot_product_attention(
            q * cos + turned(q) * sin,
            self.keys.repeat_interleave(HEADS // SHARED, 1),
            self.values.repeat_interleave(HEADS // SHARED, 1),
            attn_mask=sees,
        )


def turned(x: torch.Tensor) -> torch.Tensor:
    low, high = x.chunk(2, -1)
    return torch.cat((-high, low), -1)


ERRORS = {"float32": 2e-6, "bfloat16": 3e-2, "int8": 2e-2}
"""How the weights are stored -> the largest error, relative to the largest result."""


@pytest.mark.parametrize("stored", ERRORS)
@pytest.mark.parametrize(
    ("batch", "rows", "bias"), [(1, 1, True), (2, 1, False), (2, 5, True)]
)
def test_projections(stored: str, batch: int, rows: int, bias: bool) -> None:
    torch.manual_seed(batch + rows)
    dtype = torch.bfloat16 if stored == "bfloat16" else torch.float32
    model = Layer(batch, bias, dtype).eval()
    x, position = torch.randn(batch, rows, WIDTH, dtype=dtype), torch.arange(rows)
    exported = torch.export.export(model, (x, position))
    options = {"weights": stored} if stored == "int8" else {}
    program = devproc.compile(exported, threads=2, **options)
    kernels = marked_functions(parse_module(program.ir("kernels")))
    sources = [mark.sources.data for _, mark in kernels]
    assert sum("linear" in str(names) for names in sources) == 1
    for step in range(2):
        with torch.no_grad():
            wanted = model(x, position + step * rows).float()
        found = program(x, position + step * rows).float()
        assert error(found, wanted) < ERRORS[stored]
    for name in ("keys", "values"):
        found = torch.as_tensor(program.state[name]).float()
        assert error(found, getattr(model, name).float()) < ERRORS[stored]


def error(found: torch.Tensor, wanted: torch.Tensor) -> float:
    return float((found - wanted).abs().max() / wanted.abs().max())
