"""The models of `bench/models.py` of `shared`, for other batches and lengths as well.

`resnet50@4` is `resnet50` for four images, `bert_base@4x16` for four sentences of 16.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import torch

SHARED = Path(__file__).parent.parent.parent / "shared" / "bench" / "models.py"


def build(name: str) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """A module in eval mode, and example inputs."""
    base, _, sizes = name.partition("@")
    module, inputs = runpy.run_path(str(SHARED))["build"](base)
    if not sizes:
        return module, inputs
    batch, *length = map(int, sizes.split("x"))
    found: list[torch.Tensor] = []
    for example in inputs:
        shape = (batch, *length, *example.shape[1 + len(length) :])
        if example.is_floating_point():
            found.append(torch.randn(shape))
        else:
            high = int(example.max()) + 1
            # Of a mask all ones, of words any.
            low = 1 if high == 2 else 0
            found.append(torch.randint(low, high, shape))
    return module, tuple(found)
