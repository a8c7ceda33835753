"""Caches that lie in plain tensors: refused by name, with what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

import devproc
from devproc.errors import Problem, UnsupportedError

INPUTS = (torch.ones(1, 4), torch.tensor([2]))


class Holder:
    """An object that is no module, and holds a cache."""

    def __init__(self, keys: torch.Tensor) -> None:
        self.keys = keys

    def update(self, place: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        self.keys[place] = value
        return self.keys


class Attribute(nn.Module):
    """A cache in an attribute, written through a view."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = torch.zeros(1, 8, 4)

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        self.keys[0].index_copy_(0, place, x)
        return self.keys.sum(1)


class Held(nn.Module):
    """A cache in an object."""

    def __init__(self) -> None:
        super().__init__()
        self.cache = Holder(torch.zeros(8, 4))

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        return self.cache.update(place, x).sum(1)


class Shared(nn.Module):
    """A cache that is registered, and reached through an object."""

    keys: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 4))
        self.cache = Holder(self.keys)

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        return self.cache.update(place, x).sum(1)


def problem_of(make: Callable[[], nn.Module], strict: bool) -> Problem:
    exported = torch.export.export(make().eval(), INPUTS, strict=strict)
    with pytest.raises(UnsupportedError) as caught:
        devproc.compile(exported, cache=False)
    (problem,) = (p for p in caught.value.problems if p.what.startswith("constant"))
    assert "only a registered buffer keeps its value" in problem.why
    return problem


def test_attribute() -> None:
    problem = problem_of(Attribute, strict=False)
    assert problem.what == "constant 'keys' of float32 (1, 8, 4)"
    assert problem.why.startswith("index_copy_ writes to it")
    assert "self.register_buffer('keys', ...)" in problem.remedy
    assert "test_written_constants.py" in problem.where


def test_object() -> None:
    problem = problem_of(Held, strict=False)
    assert problem.what == "constant 'lifted_tensor_0' of float32 (8, 4)"
    assert "register_buffer" in problem.remedy
    assert "strict=True" in problem.remedy


def test_buffer_that_an_object_holds() -> None:
    """The remedy is right: such an export compiles."""
    problem = problem_of(Shared, strict=False)
    assert "the memory of buffer 'keys'" in problem.remedy
    assert "strict=True, which finds it" in problem.remedy
    exported = torch.export.export(Shared().eval(), INPUTS, strict=True)
    program, model = devproc.compile(exported, cache=False), Shared()
    for _ in range(2):
        torch.testing.assert_close(program(*INPUTS), model(*INPUTS))
