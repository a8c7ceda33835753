"""Numbers read from constants with `item()`, and what is computed from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.utils._pytree as pytree
from torch import nn

import devproc
from devproc.backend.placement import Placement
from devproc.entry import source_key
from devproc.errors import UnsupportedError
from tests.frontends.imported import Wrap

NUMBER = "aten.item.default"


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def compare(
    make: Callable[[], nn.Module], *inputs: torch.Tensor, strict: bool = False
) -> None:
    """A model exported before its first call, beside a fresh one in PyTorch."""
    exported = torch.export.export(make().eval(), inputs, strict=strict)
    with torch.no_grad():
        wanted = make().eval()(*inputs)
    found = devproc.compile(exported, cache=False)(*inputs)
    leaves, spec = pytree.tree_flatten(found)
    others, other_spec = pytree.tree_flatten(wanted)
    assert spec == other_spec
    for value, other in zip(leaves, others, strict=True):
        if isinstance(value, torch.Tensor):
            torch.testing.assert_close(value, other)
        else:
            assert value == other


def points(maps: Sequence[torch.Tensor], strides: torch.Tensor) -> Any:
    """The centre and the stride of each cell of some feature maps."""
    centres: list[torch.Tensor] = []
    steps: list[torch.Tensor] = []
    for values, stride in zip(maps, strides, strict=True):
        height, width = values.shape[2:]
        y, x = (torch.arange(n, dtype=values.dtype) + 0.5 for n in (height, width))
        y, x = torch.meshgrid(y, x, indexing="ij")
        centres.append(torch.stack((x, y), -1).view(-1, 2))
        steps.append(torch.full((height * width, 1), stride, dtype=values.dtype))  # type: ignore
    return torch.cat(centres), torch.cat(steps)


class Detector(nn.Module):
    """Makes its anchors at the first call of each size and keeps them."""

    shape: tuple[int, ...] | None = None
    anchors: torch.Tensor
    steps: torch.Tensor

    def __init__(self, gradients: bool = True) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.down = nn.ModuleList([nn.Conv2d(c, 6, 3, 2, 1) for c in (3, 6, 6)])
        for parameter in self.parameters():
            parameter.data = torch.randn(parameter.shape, generator=generator) * 0.2
        self.strides = torch.tensor([2.0, 4.0, 8.0])
        self.gradients = gradients

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        maps = [x := layer(x) for layer in self.down]
        if self.shape != maps[0].shape:
            with torch.set_grad_enabled(self.gradients):
                found = points(maps, self.strides)
            self.anchors, self.steps = (value.transpose(0, 1) for value in found)
            self.shape = maps[0].shape
        values = torch.cat([value.flatten(2) for value in maps], 2)
        low, high = values[:, :4].chunk(2, 1)
        low, high = self.anchors - low, self.anchors + high
        boxes = torch.cat(((low + high) / 2, high - low), 1) * self.steps
        return boxes, values[:, 4:].sigmoid()


@pytest.mark.filterwarnings("ignore:The tensor attributes")
@pytest.mark.parametrize("strict", [False, True])
def test_detector_that_was_never_called(strict: bool) -> None:
    compare(Detector, random(2, 3, 21, 38), strict=strict)


@pytest.mark.filterwarnings("ignore:The tensor attributes")
def test_numbers_within_a_region_without_gradients() -> None:
    compare(lambda: Detector(gradients=False), random(1, 3, 17, 12))


class Sizes(nn.Module):
    """Whole numbers that reach sizes, bounds and outputs."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor([2, 3]))

    def forward(self, x: torch.Tensor) -> Any:
        n: Any = self.count[1].item()
        m: Any = self.count[0].item()
        torch._check(n >= 1)
        torch._check(n <= 5)
        torch._check(m >= 0)
        torch._check(m <= 5)
        tail = torch.empty_strided((2,), (1,)).fill_(n)
        windows = x[:, m:].unfold(1, 2, 2).sum(2)
        grid = torch.arange(n).float() * torch.full((2, n), 2.5)
        return x[:, :n], windows, grid.flatten(), tail, n, [n * 2 + m, None]


def test_sizes_from_a_buffer() -> None:
    compare(Sizes, random(4, 7))


class Arithmetic(nn.Module):
    """Functions of numbers and comparisons, also of a number that is computed."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(random(5, 7))
        self.kind = torch.tensor(3)
        self.wide = torch.tensor(2.5, dtype=torch.float64)
        self.switch = torch.tensor(True)

    def forward(self, x: torch.Tensor) -> Any:
        largest = self.weight.detach().abs().max().item()
        wide, kind = self.wide.item(), self.kind.item()
        y = x / largest * (kind**0.5) + math.floor(wide) - max(kind, 2) // 2
        y = y * torch.sym_float(kind) * float(wide) + int(self.kind)
        return y + self.switch.item(), y > wide, torch.where(x > largest, wide, x)


def test_arithmetic_with_numbers() -> None:
    compare(Arithmetic, random(3, 5))


def test_a_number_after_an_update_in_place() -> None:
    class Updated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.start = torch.tensor([1.0, 2.0])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            fresh = self.start * 2
            before = fresh.sum().item()
            return x * before + fresh.add_(5).sum().item()

    compare(Updated, random(3, 5))


def test_two_regions_with_constants_of_their_own() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = torch.tensor(2.0), torch.tensor(5.0)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with torch.no_grad():
                x = x * self.a.item()
            with torch.no_grad():
                return x * self.b.item() + self.a.item()

    compare(Twice, random(3, 5))


def test_the_exported_program_stays_as_it_is_and_has_a_key(tmp_path: Path) -> None:
    x = random(4, 7)
    exported = torch.export.export(Sizes().eval(), (x,))
    before = str(exported)
    devproc.compile(exported, cache=False)
    assert str(exported) == before
    options = {"target": "cpu", "threads": 1, "precision": "default"}
    assert source_key(exported, options, Placement(), None, {}) is not None
    torch.export.save(exported, tmp_path / "model.pt2")
    found = devproc.compile(tmp_path / "model.pt2", cache=False)(x)
    torch.testing.assert_close(found[1], Sizes()(x)[1])


class Calls(nn.Module):
    """Reads a buffer that it writes to."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor(1.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * self.count.item()
        self.count.add_(1)
        return y


def _of_chance(x: torch.Tensor) -> torch.Tensor:
    return x * torch.rand(()).item()


def _of_the_input(x: torch.Tensor) -> torch.Tensor:
    return x * (x.sum() * torch.tensor(2.0)).item()


@pytest.mark.parametrize("model", [Calls(), Wrap(_of_chance), Wrap(_of_the_input)])
def test_numbers_that_no_constant_decides_are_refused(model: nn.Module) -> None:
    exported = torch.export.export(model.eval(), (random(3, 5),))
    with pytest.raises(UnsupportedError) as caught:
        devproc.compile(exported, cache=False)
    (problem,) = [p for p in caught.value.problems if p.what.startswith(NUMBER)]
    assert "an input or on state that the program writes" in problem.why
    assert "torch.where" in problem.remedy


class Checked(nn.Module):
    """A buffer that its check forbids."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor(7))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.count.item()
        torch._check(n < 5)
        return x * n


def test_a_check_that_fails_for_a_constant() -> None:
    exported = torch.export.export(Checked().eval(), (random(3, 5),))
    with pytest.raises(UnsupportedError, match="the check fails for the model's"):
        devproc.compile(exported, cache=False)
