"""Folded scales beside PyTorch: batch norms and layer scales behind layers of all kinds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import devproc
from devproc.accuracy import float64_outputs, relative_error


class Gamma(nn.Module):
    """A linear layer with a layer scale, then a residual."""

    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.gamma = nn.Parameter(torch.rand(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.linear(x) * self.gamma


def convolution(
    bias: bool, stride: int = 1, padding: int = 0, groups: int = 1
) -> nn.Module:
    layer = nn.Conv2d(6, 12, 3, stride, padding, groups=groups, bias=bias)
    return nn.Sequential(layer, nn.BatchNorm2d(12), nn.ReLU())


MODELS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "convolution": lambda: (convolution(False), torch.randn(2, 6, 9, 7)),
    "bias": lambda: (convolution(True, stride=2), torch.randn(2, 6, 9, 7)),
    "groups": lambda: (convolution(True, groups=3, padding=1), torch.randn(1, 6, 5, 8)),
    "depthwise": lambda: (convolution(False, groups=6), torch.randn(3, 6, 9, 7)),
    "layer scale": lambda: (Gamma(33), torch.randn(2, 5, 33)),
}


def trained(module: nn.Module) -> nn.Module:
    """Statistics as after training: no mean is zero, no variance one, one is tiny."""
    for norm in module.modules():
        if isinstance(norm, nn.BatchNorm2d):
            assert norm.running_mean is not None
            assert norm.running_var is not None
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2)
            norm.running_var[0] = 1e-6
            nn.init.normal_(norm.weight)
            nn.init.normal_(norm.bias)
    return module.eval()


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("name", MODELS)
def test_folded_layer_agrees_with_pytorch(name: str, target: str) -> None:
    torch.manual_seed(1)
    module, x = MODELS[name]()
    exported = torch.export.export(trained(module), (x,))
    program = devproc.compile(exported, target, threads=2, cache=False)
    main, prepare = program.ir("tensor").split("func.func private @prepare")
    assert "nn.mul" not in main
    assert "nn.mul" in prepare
    (exact,) = float64_outputs(module, (x,))
    with torch.no_grad():
        (found,) = pytree.tree_leaves(program(x))
        theirs = relative_error(module(x), exact)
    assert relative_error(found, exact) <= max(4 * theirs, 1e-6)
