"""The models of the GPU's benchmarks, and single kernels whose best time is known.

A name is one of `model_variants` (`resnet50@32`, `bert_base@4x128`), of `zoo_models`, or
of `FORMS`; `linear_128x768x3072` is a layer for 128 rows of 768 elements,
`image_2x16x64x9` a convolution of two images of 16 channels and 9 x 9 pixels to 64 channels.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from model_variants import build
from torch import nn
from zoo_models import MODELS as ZOO

Model = tuple[nn.Module, tuple[torch.Tensor, ...]]

MODELS = (
    "resnet18",
    "resnet50",
    "resnet50@32",
    "mobilenet_v2",
    "bert_base",
    "vit_b16",
    "gpt2",
    "llama_small",
)


ONE_TOKEN = "llama_small@1x1"
"""One token, which reads each weight once: bound by memory, or by launches."""

LINEAR, IMAGE = "linear_", "image_"


class CausalAttention(nn.Module):
    """Attention of queries to the keys before them."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
    ) -> torch.Tensor:
        """All of shape [batch, heads, length, size]."""
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Sum(nn.Module):
    """The sum of each row."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[rows, columns] to [rows]."""
        return x.sum(-1)


class Shortcut(nn.Module):
    """The sum that the second stage of a ResNet-50 begins with, for images of 256 x 256."""

    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(128, 512, 1, bias=False), nn.BatchNorm2d(512)
        )
        self.shortcut = nn.Sequential(
            nn.Conv2d(256, 512, 1, stride=2, bias=False), nn.BatchNorm2d(512)
        )

    def forward(self, h: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """[n, 128, h, w] and [n, 256, 2 * h, 2 * w] to [n, 512, h, w]."""
        return torch.relu(self.branch(h) + self.shortcut(x))


def _linear(rows: int, inputs: int, outputs: int) -> Model:
    return nn.Linear(inputs, outputs), (torch.randn(rows, inputs),)


def _conv(batch: int, channels: int, outputs: int, size: int) -> Model:
    x = torch.randn(batch, channels, size, size)
    return nn.Conv2d(channels, outputs, 3, padding=1), (x,)


def _shortcut(batch: int, size: int) -> Model:
    h = torch.randn(batch, 128, size, size)
    return Shortcut(), (h, torch.randn(batch, 256, 2 * size, 2 * size))


def _attention(*shape: int) -> Model:
    return CausalAttention(), tuple(torch.randn(shape) for _ in range(3))


FORMS: dict[str, Callable[[], Model]] = {
    "gemm_128x768x3072": lambda: _linear(128, 768, 3072),
    "gemm_128x3072x768": lambda: _linear(128, 3072, 768),
    "gemm_4096": lambda: _linear(4096, 4096, 4096),
    "conv_64_128_b32": lambda: _conv(32, 64, 128, 56),
    "conv_512_512_b1": lambda: _conv(1, 512, 512, 7),
    "shortcut_b32": lambda: _shortcut(32, 32),
    "attention_causal_1024": lambda: _attention(4, 16, 1024, 64),
    "sum_8x1M": lambda: (Sum(), (torch.randn(8, 1 << 20),)),
    "softmax_4096x1000": lambda: (nn.Softmax(-1), (torch.randn(4096, 1000),)),
    "layer_norm_4096x768": lambda: (nn.LayerNorm(768), (torch.randn(4096, 768),)),
}
"""The forms that the goals for single kernels name."""


def make(name: str, dtype: str) -> Model:
    """A model in a dtype, and example inputs."""
    torch.manual_seed(0)
    if name.startswith(LINEAR):
        module, inputs = _linear(*map(int, name.removeprefix(LINEAR).split("x")))
    elif name.startswith(IMAGE):
        module, inputs = _conv(*map(int, name.removeprefix(IMAGE).split("x")))
    elif name in FORMS:
        module, inputs = FORMS[name]()
    elif name in ZOO and name not in MODELS:
        module, inputs = ZOO[name]()
    else:
        module, inputs = build(name)
    return in_dtype((module, inputs), dtype)


def in_dtype(model: Model, dtype: str) -> Model:
    """A model for inference, and its inputs, with all floats in a dtype."""
    module, inputs = model
    kind: torch.dtype = getattr(torch, dtype)
    inputs = tuple(x.to(kind) if x.is_floating_point() else x for x in inputs)
    return module.eval().to(kind), inputs


def export(name: str, dtype: str) -> torch.export.ExportedProgram:
    """A model in a dtype, exported."""
    module, inputs = make(name, dtype)
    with torch.no_grad():
        return torch.export.export(module, inputs)
