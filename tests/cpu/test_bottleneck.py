"""Inverted bottlenecks in one kernel, compared with PyTorch in float64."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import devproc


class Bottleneck(nn.Module):
    """1x1, depthwise, 1x1; perhaps with norms, a residual, and a 3x3 behind."""

    def __init__(
        self,
        channels: tuple[int, int, int],
        taps: int = 3,
        stride: int = 1,
        padding: int = 1,
        dilation: int = 1,
        first: int = 1,
        norms: bool = True,
        residual: bool = False,
        behind: bool = False,
    ):
        super().__init__()
        before, wide, after = channels
        self.expand = nn.Conv2d(
            *(before, wide, first, (first + 1) // 2, first // 2), bias=not norms
        )
        self.depthwise = nn.Conv2d(
            *(wide, wide, taps, stride, padding, dilation), groups=wide, bias=not norms
        )
        self.project = nn.Conv2d(wide, after, 1, bias=not norms)
        self.norms = nn.ModuleList(
            nn.BatchNorm2d(c) if norms else nn.Identity() for c in (wide, wide, after)
        )
        for parameter in self.norms.parameters():
            nn.init.uniform_(parameter, -0.5, 1.5)
        for name, buffer in self.norms.named_buffers():
            if "running" in name:
                buffer.uniform_(0.5, 1.5)
        self.residual = residual
        self.behind = nn.Conv2d(after, 3, 3, padding=1) if behind else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = nn.functional.relu6(self.norms[0](self.expand(x)))
        y = nn.functional.relu6(self.norms[1](self.depthwise(y)))
        y = self.norms[2](self.project(y))
        return self.behind(x + y if self.residual else y)


def program_of(
    module: nn.Module, x: Tensor, cpu: str = "native", threads: int = 2
) -> devproc.Program:
    exported = torch.export.export(module.eval(), (x,))
    return devproc.compile(exported, cpu=cpu, threads=threads, cache=False)


def is_one_kernel(program: devproc.Program) -> bool:
    return '"bottleneck"' in program.ir("kernels")


def check(module: nn.Module, x: Tensor, result: np.ndarray) -> None:
    with torch.no_grad():
        wanted = deepcopy(module).double()(x.double()).numpy()
        error = np.abs(module(x).numpy() - wanted).max()
    assert np.abs(result - wanted).max() <= max(4 * error, 3e-6)


def image(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


FORMS = {
    "residual": (Bottleneck((7, 48, 7), residual=True), (1, 7, 86, 41)),
    "stride": (Bottleneck((5, 45, 19), stride=2), (1, 5, 68, 59)),
    "even-stride": (Bottleneck((16, 96, 24), stride=2), (1, 16, 48, 48)),
    "large-window": (
        Bottleneck((8, 40, 6), 5, stride=2, padding=2, norms=False),
        (3, 8, 40, 37),
    ),
    "no-border": (
        Bottleneck((4, 33, 10), padding=0, norms=False, behind=True),
        (1, 4, 79, 61),
    ),
    "first-of-a-model": (Bottleneck((3, 32, 16), first=3), (1, 3, 161, 173)),
    "narrow": (Bottleneck((7, 48, 7)), (4, 7, 300, 1)),
    "lines": (Bottleneck((4, 64, 3), stride=3, padding=1), (5, 4, 2, 300)),
}


@pytest.mark.parametrize("form", FORMS)
def test_equals_pytorch(form: str) -> None:
    torch.manual_seed(3)
    module, shape = FORMS[form]
    x = image(*shape)
    program = program_of(module, x)
    assert is_one_kernel(program)
    check(module, x, program(x.numpy()))


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
def test_other_vectors(cpu: str) -> None:
    module, shape = FORMS["residual"]
    x = image(*shape)
    program = program_of(module, x, cpu)
    assert is_one_kernel(program)
    check(module, x, program(x.numpy()))


def test_threads_change_no_bit() -> None:
    """Each thread begins with lines that its neighbour has as well."""
    module, shape = Bottleneck((5, 44, 9)), (1, 5, 61, 67)
    x = image(*shape)
    results = [program_of(module, x, threads=n)(x.numpy()) for n in (1, 2, 5)]
    check(module, x, results[0])
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_what_is_not_finite_stays_where_it_was() -> None:
    module, shape = FORMS["residual"]
    x = image(*shape)
    x[0, 3, 5, 7], x[0, 0, 85, 40], x[0, 2, 0, 0] = torch.nan, torch.inf, -torch.inf
    with torch.no_grad():
        wanted = module.eval()(x).numpy()
    result = program_of(module, x)(x.numpy())
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


class InputBetween(Bottleneck):
    """The windows take the input, whose channels come first, element by element."""

    def forward(self, x: Tensor) -> Tensor:
        return self.project(self.depthwise(self.expand(x)) + x)


@pytest.mark.parametrize("shape", [(2, 48, 43, 41), (1, 48, 9, 11)])
def test_input_with_channels_first(shape: tuple[int, ...]) -> None:
    module, x = InputBetween((48, 48, 5), norms=False), image(*shape)
    check(module, x, program_of(module, x)(x.numpy()))


class SharedExpansion(Bottleneck):
    """The expanded image is read again."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.expand(x)
        return self.project(self.depthwise(y) + y)


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        (Bottleneck((7, 48, 7), dilation=2), (2, 7, 43, 41)),
        (Bottleneck((7, 48, 7)), (1, 7, 23, 21)),
        (SharedExpansion((7, 48, 7), norms=False), (2, 7, 43, 41)),
        (Bottleneck((160, 960, 160)), (3, 160, 9, 9)),
    ],
    ids=["dilated", "small", "read-twice", "many-filters"],
)
def test_stays_apart(module: nn.Module, shape: tuple[int, ...]) -> None:
    x = image(*shape)
    exported = torch.export.export(module.eval(), (x,))
    program = devproc.compile(exported, threads=1, cache=False)
    assert not is_one_kernel(program)
