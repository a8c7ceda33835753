"""Programs that run part by part give what PyTorch gives for the whole batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import devproc
from devproc.entry import build_program, verify
from devproc.options import set_options, target_options
from devproc.program import Program
from devproc.source import read_source
from devproc.timings import StageRecord

Tensors = tuple[torch.Tensor, ...]


class Convolutions(nn.Module):
    """Strided, padded, grouped and residual convolutions, batch norm, pools, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 5, 2, 2, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.same = nn.Conv2d(16, 16, 3, padding=1)
        self.grouped = nn.Conv2d(16, 24, 3, padding=1, groups=4)
        self.last = nn.Linear(24, 7)

    def forward(self, x: torch.Tensor) -> Tensors:
        x = F.max_pool2d(F.relu(self.norm(self.stem(x))), 3, 2, 1)
        x = F.silu(self.same(x) + x)
        x = F.avg_pool2d(F.relu(self.grouped(x)), 2)
        y = self.last(x.mean((2, 3)))
        return F.log_softmax(y, -1), y.argmax(1), torch.sort(y, 1).indices, x


class Tokens(nn.Module):
    """A token and places that are the same for all, a mask, attention, a row per item."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 24)
        self.token = nn.Parameter(torch.randn(1, 1, 24))
        self.places = nn.Parameter(torch.randn(1, 8, 24))
        self.norm = nn.LayerNorm(24)
        self.q, self.k, self.v = (nn.Linear(24, 24) for _ in range(3))

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(len(x), 8, 3, 8).transpose(1, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> Tensors:
        count = len(ids)
        x = torch.cat([self.token.expand(count, -1, -1), self.words(ids)], 1)
        x = self.norm(x + self.places)
        row = torch.arange(count)[:, None, None, None].expand(count, 1, 1, 8)
        column = torch.arange(8)[None, None, None].expand(count, 1, 1, 8)
        keys = mask[row, column]
        q, k, v = (self.heads(f(x)) for f in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, keys)
        y = y.transpose(1, 2).reshape(count, 8, 24)
        z = torch.ones(count, 1, 1) - (y @ x.transpose(1, 2)).softmax(1)
        return y, z, ids.reshape(-1)


def images(batch: int) -> Tensors:
    return (torch.randn(batch, 3, 23, 37),)


def words(batch: int) -> Tensors:
    mask = torch.rand(batch, 8) > 0.4
    mask[:, 0] = True
    return torch.randint(50, (batch, 7)), mask


MODELS = {"convolutions": (Convolutions, images), "tokens": (Tokens, words)}


def compiled(
    module: nn.Module, inputs: Tensors, items: int, threads: int = 2
) -> Program:
    """A program in parts of so many items."""
    source = read_source(torch.export.export(module, inputs))
    set_options(source.module, target_options("cpu", threads), {})
    return build_program(
        source,
        "cpu",
        StageRecord("import"),
        use_cache=False,
        pass_options={"split-batch": f"split-batch{{items={items}}}"},
    )


@pytest.mark.parametrize(
    ("name", "batch", "items"),
    [("convolutions", 3, 1), ("tokens", 6, 2), ("convolutions", 4, 2)],
)
def test_values(name: str, batch: int, items: int) -> None:
    torch.manual_seed(batch)
    make, sample = MODELS[name]
    module, inputs = make().eval(), sample(batch)
    with torch.no_grad():
        wanted = module(*inputs)
    program = compiled(module, inputs, items)
    assert program.artifact.host.parts == batch // items
    for found, want in zip(program(*inputs), wanted, strict=True):
        torch.testing.assert_close(found, want, rtol=2e-5, atol=2e-6)
    arrays = program(*(value.numpy() for value in inputs))
    for found, want in zip(arrays, program(*inputs), strict=True):
        assert np.array_equal(found, want.numpy())


def test_parts_are_whole_programs(tmp_path: Path) -> None:
    """Bits are those of a program for one part, whatever the threads and the executor."""
    torch.manual_seed(1)
    module, inputs = Convolutions().eval(), images(6)
    program = compiled(module, inputs, 2)
    outputs = program(*inputs)
    part = compiled(module, (inputs[0][:2],), 2)
    assert part.artifact.host.parts == 1
    assert program.artifact.host.arenas == part.artifact.host.arenas
    for index in range(3):
        own = part(inputs[0][2 * index : 2 * index + 2])
        for whole, found in zip(outputs, own, strict=True):
            assert torch.equal(whole[2 * index : 2 * index + 2], found)
    program.save(tmp_path / "program.dvp")
    others = [
        compiled(module, inputs, 2, threads=1)(*inputs),
        devproc.load(tmp_path / "program.dvp")(*inputs),
        program.run_flat(list(inputs), lambda step, begin, end: None),
    ]
    for other in others:
        for found, want in zip(other, outputs, strict=True):
            assert torch.equal(found, want)
    whole = compiled(module, inputs, 6)
    assert whole.artifact.host.parts == 1
    assert program.artifact.host.arenas["cpu"] < 0.5 * whole.artifact.host.arenas["cpu"]


class Wide(nn.Module):
    """Values of 3 MB for each image, between small weights: two images fit a cache."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 4, 3, padding=1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


def test_large_values_run_part_by_part() -> None:
    torch.manual_seed(2)
    module, inputs = Wide().eval(), (torch.randn(4, 3, 112, 112),)
    program = devproc.compile(
        torch.export.export(module, inputs), threads=1, cache=False
    )
    assert program.artifact.host.parts == 2
    assert "dev.parts = 2 : i64" in program.ir("placed")
    assert "tensor<4x" in program.ir("tensor")
    assert program.report().memory.parts == 2
    assert "one of 2 parts" in str(program.report())
    with torch.no_grad():
        torch.testing.assert_close(program(*inputs), module(*inputs), rtol=0, atol=1e-5)
    trace = program.trace("/dev/null", *inputs)
    assert torch.equal(trace, program(*inputs))


def test_small_rows_stay_together() -> None:
    """A weight of 2 MB is read once for 16 rows."""
    module, inputs = nn.Linear(1024, 512), (torch.randn(16, 1024),)
    program = devproc.compile(torch.export.export(module, inputs), cache=False)
    assert program.artifact.host.parts == 1
    assert program.report().memory.parts == 1


def test_verify_takes_the_whole_batch() -> None:
    module, inputs = nn.MaxPool2d(3, 1, 1), (torch.randn(3, 64, 112, 113),)
    exported = torch.export.export(module, inputs)
    program = devproc.compile(exported, threads=1, cache=False)
    assert program.artifact.host.parts == 3
    found = verify(exported, threads=1)
    assert found.passed, found.summary()
    assert found.outputs[0].type == "3x64x112x113xf32"
