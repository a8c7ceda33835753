"""The machine code of the kernels of small models, for two architectures and three dtypes.

The models have the kernel forms of those of the benchmarks, each form once, in channels
and lengths that fill tiles. `benchmarks/gpu_model.py --check` does the same for the real
ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
import torch
from torch import nn
from torch.nn import functional

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.program_kernels import program_kernels
from devproc.targets.triton.cost.quality import problems


class Convolutions(nn.Module):
    """A stem, a residual block, a depthwise convolution, pools and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.first = nn.Conv2d(64, 64, 3, padding=1)
        self.second = nn.Conv2d(64, 64, 1)
        self.depthwise = nn.Conv2d(64, 64, 3, padding=1, groups=64)
        self.head = nn.Linear(64, 128)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images to classes."""
        x = functional.max_pool2d(functional.relu(self.stem(x)), 3, 2, 1)
        x = functional.relu(self.second(functional.relu(self.first(x))) + x)
        x = functional.relu6(self.depthwise(x))
        return self.head(x.mean((2, 3)))


class Layer(nn.Module):
    """Embeddings, one layer of a transformer, and the probabilities of words."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(512, 256)
        self.norm = nn.LayerNorm(256)
        self.query = nn.Linear(256, 256)
        self.up = nn.Linear(256, 512)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Words to probabilities."""
        x = self.embedding(ids)
        q = self.query(self.norm(x)).unflatten(-1, (4, 64)).transpose(1, 2)
        attended = functional.scaled_dot_product_attention(q, q, q, is_causal=True)
        x = x + attended.transpose(1, 2).flatten(2)
        return functional.softmax(functional.gelu(self.up(x)), -1)


class Split(nn.Module):
    """Two products of few results and long sums, and the norms that add their parts."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow, self.wide = nn.Linear(4096, 512), nn.Linear(4096, 1280)
        self.first, self.second = nn.LayerNorm(512), nn.RMSNorm(1280)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Rows to two products, and to their norms."""
        narrow, wide = self.narrow(x), self.wide(x)
        return narrow, self.first(narrow), wide, self.second(wide)


MODELS = {
    "convolutions": (Convolutions, torch.randn(2, 3, 64, 64), 6),
    "layer": (Layer, torch.randint(512, (2, 128)), 6),
    "split": (Split, torch.randn(32, 4096), 4),
}
"""Name -> a model, its input, and the fewest kernels that it has."""

CASES = [
    ("convolutions", "bfloat16", "sm_90"),
    ("convolutions", "float32", "sm_80"),
    ("layer", "float16", "sm_80"),
    ("layer", "float32", "sm_90"),
    ("split", "bfloat16", "sm_80"),
    ("split", "float32", "sm_90"),
]
"""Each dtype and each architecture, not every pair: compilation takes a third of a second
for each kernel."""

EXPECTED: dict[tuple[str, str, str], dict[str, set[str]]] = {}
"""Case -> kernel -> what is known to be wrong with it; nothing else may be, and what is
mended has to go."""


def found(model: str, dtype: str, arch: str) -> Mapping[str, set[str]]:
    """The problems of the kernels that have any, by the ops of a kernel."""
    factory, example, count = MODELS[model]
    kind: torch.dtype = getattr(torch, dtype)
    torch.manual_seed(0)
    module = factory().eval().to(kind)
    example = example.to(kind) if example.is_floating_point() else example
    with torch.no_grad():
        source = read_source(torch.export.export(module, (example,)))
    set_options(source.module, target_options("cuda", arch=arch), None)
    kernels = program_kernels(source.module)
    assert len(kernels) >= count
    codes = machine_codes([k.kernel for k in kernels], arch, processes=1)
    wrong: dict[str, set[str]] = {}
    for kernel, code in zip(kernels, codes, strict=True):
        assert not isinstance(code, str), code
        assert code.instructions
        told = set(problems(code, kernel.work, find_arch(arch)))
        if told:
            wrong.setdefault(form(kernel.kernel.source), set()).update(told)
    return wrong


def form(source: str) -> str:
    """The ops of a kernel and their module, by the first line of its docstring."""
    described = re.search(r'"""(.*?)(?: at .*)?$', source, re.M)
    assert described is not None
    return described[1]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_kernels_are_as_an_expert_writes_them(case: tuple[str, str, str]) -> None:
    assert found(*case) == EXPECTED.get(case, {})
