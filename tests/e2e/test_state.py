"""Buffers that a model writes to, over several calls, beside the eager module."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.entry import verify

TARGETS = ("cpu", "cuda:interpret", "cpu+cuda:interpret")


class Statistics(nn.Module):
    """Counts, averages and remembers: buffers of several dtypes, shapes and updates."""

    count: torch.Tensor
    average: torch.Tensor
    last: torch.Tensor
    seen: torch.Tensor
    nothing: torch.Tensor
    scale: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor(3))
        self.register_buffer("average", torch.randn(5))
        self.register_buffer("last", torch.full((3, 5), -1.0), persistent=False)
        self.register_buffer("seen", torch.zeros(5, dtype=torch.bool))
        self.register_buffer("nothing", torch.zeros(0, 5))
        self.register_buffer("scale", torch.randn(5))

    def forward(self, x: torch.Tensor) -> Any:
        old = self.last.clone()
        self.count += 1
        self.average.mul_(0.75).add_(x.mean(0), alpha=0.25)
        self.last.copy_(x)
        self.seen.logical_or_(x.amax(0) > 1)
        self.nothing.add_(1)
        self.average[2] = 7.0
        return old, x * self.scale + self.average, self.count, self.seen, x


class Cache(nn.Module):
    """One step of attention with a cache of keys and values, and a position."""

    keys: torch.Tensor
    values: torch.Tensor
    position: torch.Tensor

    def __init__(self, length: int = 6, width: int = 8) -> None:
        super().__init__()
        self.project = nn.Linear(width, 3 * width)
        self.register_buffer("keys", torch.zeros(2, length, width))
        self.register_buffer("values", torch.zeros(2, length, width))
        self.register_buffer("position", torch.zeros((), dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = self.project(x).chunk(3, -1)
        place = self.position.reshape(1)
        self.keys.index_copy_(1, place, key)
        self.values.index_copy_(1, place, value)
        past = torch.arange(self.keys.shape[1]) <= self.position
        scores = query @ self.keys.transpose(1, 2) / query.shape[-1] ** 0.5
        weights = torch.where(past, scores, -torch.inf).softmax(-1)
        self.position.add_(1)
        return weights @ self.values


def program_of(
    model: nn.Module, *inputs: torch.Tensor, target: str = "cpu", **options: Any
) -> devproc.Program:
    exported = torch.export.export(model.eval(), inputs)
    return devproc.compile(exported, target, threads=1, **options)


def close(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_several_calls_beside_the_eager_module(target: str) -> None:
    torch.manual_seed(0)
    model = Statistics()
    program = program_of(model, torch.randn(3, 5), target=target)
    names = ["count", "average", "last", "seen", "nothing"]
    assert list(program.state) == names
    for _ in range(4):
        x = torch.randn(3, 5)
        with torch.no_grad():
            close(program(x), model(x.clone()))
        for name in names:
            close(torch.as_tensor(program.state[name]), getattr(model, name))


def test_a_cache_of_keys_and_values() -> None:
    torch.manual_seed(1)
    model = Cache()
    program = program_of(model, torch.randn(2, 1, 8))
    for run in range(2):
        eager = copy.deepcopy(model)
        for step in range(6):
            x = torch.randn(2, 1, 8)
            # Arrays and tensors share the state.
            found = program(x) if step % 2 else torch.from_numpy(program(x.numpy()))
            close(found, eager(x).detach())
        assert program.state["position"] == 6, run
        program.reset()
    assert program.report().memory.state_bytes == 2 * (2 * 6 * 8 * 4) + 8
    text = " ".join(str(program.report()).split())
    assert "state 776 bytes in place" in text


def test_the_state_is_the_programs_own() -> None:
    model = Statistics()
    exported = torch.export.export(model, (torch.ones(3, 5),))
    first, second = (devproc.compile(exported, threads=1) for _ in range(2))
    model.count.fill_(100)  # the user's module and the program are apart
    for call in range(3):
        assert first(torch.ones(3, 5))[2] == 4 + call
    assert second(torch.ones(3, 5))[2] == 4


def test_read_assign_and_reset() -> None:
    program = program_of(Statistics(), torch.zeros(3, 5))
    held = program.state["count"]
    program(torch.zeros(3, 5))
    assert held == 3, "what was read is a copy"
    program.state["count"] = np.array(40)
    program.state["average"] = torch.arange(5.0)
    assert program(torch.zeros(3, 5))[2] == 41
    np.testing.assert_array_equal(program.state["average"], [0, 0.75, 7, 2.25, 3])
    with pytest.raises(devproc.InputError, match="'count' must be int64"):
        program.state["count"] = np.array(1.5)
    with pytest.raises(devproc.InputError, match=r"'average' must be float32 \(5\)"):
        program.state["average"] = torch.zeros(4)
    with pytest.raises(devproc.InputError, match=r"no state 'scale'.*count: int64"):
        program.state["scale"]
    program.reset()
    assert program.state["count"] == 3
    assert "count: int64 ()" in repr(program.state)


def test_bfloat16_state() -> None:
    class Sum(nn.Module):
        sum: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("sum", torch.tensor([0.1, 3e38, -0.0]).bfloat16())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.sum.add_(x).clone()

    model, x = Sum(), torch.tensor([1.0, 3e38, -0.0]).bfloat16()
    program = program_of(model, x)
    program.state["sum"] = torch.tensor([0.5, 3e38, -0.0]).bfloat16()
    model.sum.copy_(torch.tensor([0.5, 3e38, -0.0]))
    for _ in range(3):
        close(program(x), model(x))
    np.testing.assert_array_equal(program.state["sum"], model.sum.float().numpy())


def test_a_call_that_fails_leaves_the_state() -> None:
    program = program_of(Statistics(), torch.zeros(3, 5))
    program(torch.ones(3, 5))
    before = program.state["average"]
    with pytest.raises(devproc.InputError):
        program(torch.zeros(3, 6))
    np.testing.assert_array_equal(program.state["average"], before)


def test_saved_programs_begin_anew(tmp_path: Path) -> None:
    x = torch.randn(3, 5)
    program = program_of(Statistics(), x)
    wanted = program(x)
    program(x)
    program.save(tmp_path / "net.devproc")
    loaded = devproc.load(tmp_path / "net.devproc")
    close(loaded(x), wanted)
    assert loaded(x)[2] == 5


def test_a_trace_leaves_the_state(tmp_path: Path) -> None:
    x = torch.randn(3, 5)
    program = program_of(Statistics(), x)
    program(x)
    assert program.trace(tmp_path / "trace.json", x)[2] == 5
    assert program.state["count"] == 4
    assert program(x)[2] == 5


def test_threads_take_turns() -> None:
    class Total(nn.Module):
        total: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("total", torch.zeros(1000, dtype=torch.int64))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.total.add_(x)
            return self.total * 2

    x = torch.arange(1000)
    program = program_of(Total(), x)

    def count() -> None:
        for _ in range(200):
            program(x)

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(program.state["total"], (600 * x).numpy())


def test_state_beside_a_fallback() -> None:
    class Mixed(nn.Module):
        last: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("last", torch.zeros(4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.special.bessel_j1(x + self.last)
            self.last.copy_(y)
            return y * 2

    model, x = Mixed(), torch.randn(4)
    program = program_of(model, x, fallback="torch")
    assert program.report().fallbacks.rows
    for _ in range(4):
        close(program(x), model(x))


def test_verify_compares_the_states_too() -> None:
    exported = torch.export.export(Statistics().eval(), (torch.randn(3, 5),))
    result = verify(exported, threads=1)
    assert result.passed, result.summary()
    assert [c.name for c in result.outputs][-3:] == [
        "output 'last'",
        "output 'seen'",
        "output 'nothing'",
    ]


def test_a_state_may_leave_as_a_constant() -> None:
    class Clear(nn.Module):
        flag: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("flag", torch.ones(2, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x + self.flag
            self.flag.zero_()
            return y

    model, x = Clear(), torch.randn(2, 3)
    program = program_of(model, x)
    for _ in range(3):
        close(program(x), model(x))


def test_evaluation_of_a_batch_norm_has_no_state() -> None:
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3)).eval()
    program = program_of(model, torch.randn(2, 2, 5, 5))
    assert not program.state
    program.reset()  # nothing to do


def writes_input(x: torch.Tensor) -> torch.Tensor:
    return x.add_(1) * 2


class Tied(nn.Module):
    """Two buffers in one memory, one of them written."""

    all: torch.Tensor
    row: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        memory = torch.zeros(2, 4)
        self.register_buffer("all", memory)
        self.register_buffer("row", memory[1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.row.add_(x)
        return self.all.sum(0) + x


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (
            Wrapped(writes_input),
            "input .* the program writes to this input; a compiled",
        ),
        (Tied(), "not make the program functional: .* give each buffer memory of its"),
        (nn.BatchNorm1d(4), "training mode"),
    ],
    ids=["input", "tied", "batch norm"],
)
def test_what_is_refused(model: nn.Module, problem: str) -> None:
    x = torch.randn(4) if isinstance(model, Tied) else torch.randn(3, 4)
    exported = torch.export.export(model.train(), (x,))
    with pytest.raises(devproc.UnsupportedError, match=problem):
        devproc.compile(exported)


def test_a_written_buffer_has_memory_of_its_own() -> None:
    exported = torch.export.export(Statistics().eval(), (torch.zeros(3, 5),))
    functional = exported.run_decompositions({})
    functional.state_dict["scale"] = functional.state_dict["average"]
    with pytest.raises(devproc.UnsupportedError, match=r"'average' .* with 'scale'"):
        devproc.compile(functional)
