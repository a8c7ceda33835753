"""Exported models on every target against PyTorch, beside a float64 run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import devproc

CPU, INTERPRETED, MIXED = "cpu", "cuda:interpret", "cpu+cuda:interpret"


class Branches(nn.Module):
    """A residual, two outputs of one value, and an output that is an input."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(7, 7), nn.Linear(7, 5)

    def forward(self, x: torch.Tensor) -> dict[str, object]:
        h = torch.relu(self.a(x)) + x
        y = self.b(h)
        return {"h": h, "pair": (y, torch.softmax(y, -1)), "x": x}


def mlp(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return (
        nn.Sequential(nn.Linear(37, 19), nn.ReLU(), nn.Linear(19, 3), nn.Softmax(-1)),
        (torch.randn(5, 37, generator=rng),),
    )


def convnet(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    model = nn.Sequential(
        nn.Conv2d(3, 10, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.Conv2d(10, 12, (3, 2), stride=(2, 1), padding=(0, 1), groups=2),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, padding=1),
        nn.Flatten(),
        nn.LazyLinear(9),
    )
    x = torch.randn(2, 3, 13, 17, generator=rng)
    model(x)
    return model, (x,)


def dilated(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return (
        nn.Sequential(nn.Conv2d(4, 5, 3, dilation=2, padding=3, bias=False), nn.ReLU()),
        (torch.randn(1, 4, 9, 11, generator=rng),),
    )


def batch_norm(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    norm = nn.BatchNorm2d(6)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.normal_(generator=rng)
    norm.running_var.uniform_(0.5, 2, generator=rng)
    model = nn.Sequential(nn.Conv2d(2, 6, 1), norm, nn.ReLU())
    return model, (torch.randn(3, 2, 5, 4, generator=rng),)


def branches(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Branches(), (torch.randn(4, 7, generator=rng),)


class Attention(nn.Module):
    """Both matmuls dynamic, batched, with a transposed operand and a softmax."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
    ) -> torch.Tensor:
        return torch.softmax(q @ k.transpose(-1, -2) * 0.35, -1) @ v


def attention(rng: torch.Generator) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    q, k, v = (torch.randn(2, 3, n, 8, generator=rng) for n in (11, 13, 13))
    return Attention(), (q, k, v)


MODELS = (mlp, convnet, dilated, batch_norm, branches, attention)


SAMPLES = 6
"""Calls that one error is measured over: that of a few numbers is a matter of luck."""


def flat(value: object) -> list[torch.Tensor]:
    return [torch.as_tensor(leaf) for leaf in pytree.tree_leaves(value)]


def outputs(calls: Sequence[object]) -> list[torch.Tensor]:
    """Each output, of all calls."""
    return [torch.stack(tensors) for tensors in zip(*map(flat, calls), strict=True)]


def other_inputs(
    inputs: tuple[torch.Tensor, ...], rng: torch.Generator
) -> tuple[torch.Tensor, ...]:
    return tuple(torch.randn(x.shape, generator=rng) for x in inputs)


@pytest.mark.parametrize("target", [CPU, INTERPRETED, MIXED])
@pytest.mark.parametrize("make", MODELS, ids=lambda f: f.__name__)
def test_equals_pytorch(make: Callable[..., Any], target: str) -> None:
    rng = torch.Generator().manual_seed(3)
    torch.manual_seed(3)
    model, inputs = make(rng)
    model.eval()
    exported = torch.export.export(model, inputs)
    program = devproc.compile(exported, target=target, precision="strict", threads=2)
    samples = [inputs, *(other_inputs(inputs, rng) for _ in range(SAMPLES - 1))]
    ours = [program(*sample) for sample in samples]
    with torch.no_grad():
        theirs = [model(*sample) for sample in samples]
        model.double()
        wide = [model(*(x.double() for x in sample)) for sample in samples]
    assert pytree.tree_structure(ours) == pytree.tree_structure(theirs)
    for mine, reference, exact in zip(*map(outputs, (ours, theirs, wide)), strict=True):
        assert mine.dtype == reference.dtype
        assert mine.shape == reference.shape
        scale = exact.norm().clamp_min(1e-30)
        error = (mine.double() - exact).norm() / scale
        torch_error = (reference.double() - exact).norm() / scale
        # Tiny nets: PyTorch's own error may be below one rounding of the result.
        assert error <= max(2 * torch_error, 1.2e-7)


def test_numpy_in_gives_numpy_out_and_strides_do_not_matter() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 4).eval()
    program = devproc.compile(torch.export.export(model, (torch.randn(3, 6),)))
    x = np.random.default_rng(0).standard_normal((6, 6)).astype(np.float32)
    strided = x[::2, ::-1]
    ours = program(strided)
    assert isinstance(ours, np.ndarray)
    theirs = model(torch.from_numpy(strided.copy())).detach().numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
    assert isinstance(program(torch.from_numpy(strided.copy())), torch.Tensor)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -0.0])
@pytest.mark.parametrize("target", [CPU, INTERPRETED])
def test_special_values_travel_as_in_pytorch(value: float, target: str) -> None:
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Softmax(1)
    ).eval()
    x = torch.randn(2, 2, 7, 9)
    x[0, 1, 3, 4] = value
    program = devproc.compile(torch.export.export(model, (x,)), target=target)
    with torch.no_grad():
        torch.testing.assert_close(
            program(x), model(x), equal_nan=True, rtol=1e-5, atol=1e-6
        )


def test_results_do_not_depend_on_threads() -> None:
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(256, 700), nn.ReLU(), nn.Linear(700, 33)).eval()
    x = torch.randn(64, 256)
    exported = torch.export.export(model, (x,))
    results = [devproc.compile(exported, threads=n)(x) for n in (1, 2, 3)]
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])
