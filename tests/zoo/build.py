"""Small configurations, random weights and example inputs for models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import nn

Inputs: TypeAlias = tuple[torch.Tensor, ...]
Factory: TypeAlias = Callable[[], tuple[nn.Module, Inputs]]

ATTENTION: dict[str, Any] = {"attn_implementation": "sdpa"}
TEXT: dict[str, Any] = {
    "vocab_size": 61,
    "max_position_embeddings": 23,
    "pad_token_id": 0,
}
ENCODER: dict[str, Any] = {
    "hidden_size": 30,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 41,
    **ATTENTION,
}
IMAGE: dict[str, Any] = {**ENCODER, "image_size": (21, 28), "patch_size": 7}
DECODER: dict[str, Any] = {
    **ENCODER,
    **TEXT,
    "num_key_value_heads": 1,
    "use_cache": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


class Call(nn.Module):
    """Calls a model with named inputs and gives some of its outputs."""

    def __init__(
        self, model: nn.Module, inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        super().__init__()
        self.model = model
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)

    def forward(self, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self.model(**dict(zip(self.inputs, values, strict=True)))
        return tuple(found[name] for name in self.outputs)


def randomised(model: nn.Module) -> nn.Module:
    """Weights that keep the size of activations; no bias is 0 and no factor is 1."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, parameter[0].numel() ** -0.5)
            elif parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d) or hasattr(module, "running_var"):
                module.get_buffer("running_mean").normal_(0, 0.3)
                module.get_buffer("running_var").uniform_(0.5, 2)
    return model.eval()


def pixels(
    model: nn.Module, *outputs: str, size: tuple[int, ...] = (21, 28), batch: int = 2
) -> tuple[nn.Module, Inputs]:
    """A model of images, and two of them."""
    images = torch.randn(batch, 3, *size)
    return Call(randomised(model), ["pixel_values"], outputs), (images,)


def tokens(
    model: nn.Module, *outputs: str, mask: bool = True
) -> tuple[nn.Module, Inputs]:
    """A model of text; the second sentence of its batch is shorter, where masked."""
    ids = torch.randint(3, 61, (2, 9))
    if not mask:
        return Call(randomised(model), ["input_ids"], outputs), (ids,)
    keep = torch.ones_like(ids)
    keep[1, 6:] = 0
    return (
        Call(randomised(model), ["input_ids", "attention_mask"], outputs),
        (ids, keep),
    )
