"""The same operators as PyTorch knows them, and a model that uses all."""

from __future__ import annotations

import torch
from torch import nn


@torch.library.custom_op("lab::swish", mutates_args=())
def swish(x: torch.Tensor, scale: float) -> torch.Tensor:
    """A composition."""
    return x / (1 + torch.exp(-scale * x))


@torch.library.custom_op("lab::shrink", mutates_args=())
def shrink(x: torch.Tensor, bound: float) -> torch.Tensor:
    """Towards zero."""
    return torch.nn.functional.softshrink(x, bound)


@torch.library.custom_op("lab::distance", mutates_args=())
def distance(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """PyTorch's own L1 distance."""
    return torch.cdist(a, b, p=1.0)


swish.register_fake(lambda x, scale: torch.empty_like(x))
shrink.register_fake(lambda x, bound: torch.empty_like(x))
distance.register_fake(lambda a, b: a.new_empty(a.shape[0], b.shape[0]))


class Model(nn.Module):
    """All operators, with a weight and a layer before them."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(7, 5)
        self.anchors = nn.Parameter(torch.randn(3, 5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Distances of shrunk rows to the anchors, cubed."""
        y = shrink(swish(self.linear(x), 1.5), 0.1)
        d = distance(y, self.anchors)
        return d * d * d
