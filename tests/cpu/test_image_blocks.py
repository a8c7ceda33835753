"""Convolutions whose image is cut into blocks that stay in a cache: values and threads."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import devproc
from devproc.accuracy import float64_outputs, relative_error
from devproc.targets.cpu.algorithms.register_tile.cache_blocking import (
    CacheBlocking,
    Cut,
)
from tests.vectors import vectors

CASES = {
    "lines, the last block is smaller": ((1, 32, 61, 63), nn.Conv2d(32, 67, 3, 2)),
    "groups": ((1, 64, 71, 50), nn.Conv2d(64, 96, 3, 2, 1, groups=2)),
    "1x1 of stride 2": ((1, 96, 57, 83), nn.Conv2d(96, 112, 1, 2)),
    "images of a batch": ((7, 64, 17, 19), nn.Conv2d(64, 96, 3, 2)),
    "lines of each image": ((3, 48, 60, 44), nn.Conv2d(48, 80, (3, 2), 2)),
    "dilated": ((2, 40, 41, 33), nn.Conv2d(40, 96, 3, dilation=2)),
}


@pytest.mark.parametrize("case", CASES)
def test_equals_pytorch(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[Cut | None] = []
    choose = CacheBlocking.cut

    def spy(self: CacheBlocking) -> Cut | None:
        cuts.append(choose(self))
        return cuts[-1]

    monkeypatch.setattr(CacheBlocking, "cut", spy)
    torch.manual_seed(5)
    shape, layer = CASES[case]
    model, x = nn.Sequential(layer, nn.ReLU()).eval(), torch.randn(shape)
    exported = torch.export.export(model, (x,))
    results: list[torch.Tensor] = []
    for threads in (1, 2, 3):
        # Of longer vectors, tiles are too few for some of these blocks.
        with vectors(256):
            program = devproc.compile(
                exported, threads=threads, precision="strict", cache=False
            )
        assert any(cuts), threads
        cuts.clear()
        results.append(program(x))
    assert all(torch.equal(result, results[0]) for result in results)
    (exact,) = float64_outputs(model, (x,))
    with torch.no_grad():
        assert relative_error(results[0], exact) <= 2 * relative_error(model(x), exact)


class VectorTimesBatch(nn.Module):
    def forward(self, vector: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
        return vector @ matrices


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_image_that_all_batches_share(dtype: torch.dtype) -> None:
    """The image has fewer bytes than the batch has matrices."""
    torch.manual_seed(6)
    inputs = (torch.randn(10).to(dtype), torch.randn(5, 9, 10, 3).to(dtype))
    model = VectorTimesBatch()
    exported = torch.export.export(model, inputs)
    result = devproc.compile(exported, cache=False)(*inputs)
    (exact,) = float64_outputs(model, inputs)
    bound = max(relative_error(model(*inputs), exact), torch.finfo(dtype).eps)
    assert relative_error(result, exact) <= 2 * bound
