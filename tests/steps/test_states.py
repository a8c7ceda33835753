"""States of pipelines: of their own and of models, over several calls."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BuildError, InputError
from tests.steps.both_targets import TARGETS


class Average(nn.Module):
    """A moving average of rows, in a buffer."""

    mean: torch.Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.linspace(-1, 1, width))
        self.project = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.mul_(0.5).add_(x.mean(0), alpha=0.5)
        return self.project(self.mean)


def averages(target: str) -> tuple[devproc.Program, nn.Module]:
    torch.manual_seed(0)
    model = Average(5).eval()
    exported = torch.export.export(model, (torch.zeros(7, 5),))
    pipe = devproc.pipeline("averages")
    calls = pipe.state("calls", "int64", (1,), initial=40)
    seen = pipe.state("seen", "float32", (7, 5), np.linspace(0, 1, 5))
    x = pipe.input("x", "float32", (7, 5))
    first = pipe.model(exported, x * 2)
    second = pipe.model(exported, x)
    pipe.update("calls", calls + 1)
    pipe.update("calls", calls + 3)  # the last update counts
    pipe.update("seen", pipe.maximum(seen, x))
    pipe.output("first", first)
    pipe.output("second", second)
    pipe.output("calls", calls)
    pipe.output("seen", seen)
    return devproc.compile(pipe, target, cache=False), model


@pytest.mark.parametrize("target", TARGETS)
def test_states_of_models_and_of_the_pipeline(target: str) -> None:
    program, model = averages(target)
    assert list(program.state) == ["calls", "seen", "model.mean"]
    eager, generator = copy.deepcopy(model), np.random.default_rng(0)
    seen = np.broadcast_to(np.linspace(0, 1, 5, dtype=np.float32), (7, 5))
    for call in range(3):
        x = generator.standard_normal((7, 5), np.float32)
        y = program(x=x)
        with torch.no_grad():
            wanted = [eager(torch.from_numpy(x * 2)), eager(torch.from_numpy(x))]
        np.testing.assert_allclose(y["first"], wanted[0], rtol=2e-6, atol=1e-6)
        np.testing.assert_allclose(y["second"], wanted[1], rtol=2e-6, atol=1e-6)
        np.testing.assert_array_equal(y["seen"], seen)
        assert y["calls"] == [40 + 3 * call]
        seen = np.maximum(seen, x)
    program.reset("model")
    np.testing.assert_array_equal(
        program.state["model.mean"], np.linspace(-1, 1, 5, dtype="f")
    )
    assert program.state["calls"] == [49]
    program.reset("calls", "seen")
    assert program.state["calls"] == [40]
    with pytest.raises(InputError, match="no state 'mean'"):
        program.reset("mean")


def test_program_as_json_and_verified(tmp_path: Any) -> None:
    pipe = devproc.pipeline("count")
    count = pipe.state("count", "int64", (2,), (1, 2))
    x = pipe.input("x", "int64", (2,))
    pipe.update("count", count + x)
    pipe.output("count", count)  # an output may have the name of a state
    devproc.export_json(
        pipe, tmp_path / "count.json", weights=tmp_path / "c.safetensors"
    )
    program = devproc.compile(tmp_path / "count.json", cache=False)
    program.save(tmp_path / "count.devproc")
    for p in (program, devproc.load(tmp_path / "count.devproc")):
        for call in range(3):
            found = p(x=np.array([3, -5]))["count"]
            np.testing.assert_array_equal(found, [1 + 3 * call, 2 - 5 * call])
    assert devproc.verify(pipe).passed


@pytest.mark.parametrize("axis", [0, -1])
def test_with_past(axis: int) -> None:
    pipe = devproc.pipeline("past")
    x = pipe.input("x", "int16", (3, 5), "")
    pipe.output("whole", pipe.with_past(x, 7, axis))
    program = devproc.compile(pipe, cache=False)
    calls = np.random.default_rng(0).integers(-99, 99, (6, 3, 5)).astype(np.int16)
    zeros = np.zeros((7, 5) if axis == 0 else (3, 7), np.int16)
    for number, call in enumerate(calls):
        everything = np.concatenate([zeros, *calls[: number + 1]], axis)
        wanted = np.moveaxis(
            np.moveaxis(everything, axis, 0)[-7 - call.shape[axis] :], 0, axis
        )
        np.testing.assert_array_equal(program(x=call)["whole"], wanted)


def build(what: str) -> None:
    pipe = devproc.pipeline("bad")
    count = pipe.state("count", "int64", (2,))
    match what:
        case "twice":
            pipe.state("count", "int64", (1,))
        case "initial":
            pipe.state("other", "int64", (2,), (1, 2, 3))
        case "dtype":
            pipe.state("other", "uint8", (2,), 300)
        case "past":
            pipe.with_past(count, 0)
        case "unknown":
            pipe.update("counts", count)
        case "type":
            pipe.update("count", pipe.cast(count, "float32"))
        case _:
            pipe.update("count", 3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("twice", "there is a state 'count'; choose another name"),
        ("initial", r"initial has the shape \(3\); give what broadcasts to \(2\)"),
        ("dtype", "initial has numbers that are no uint8"),
        ("past", "with_past: count is 0, axis 0 of"),
        ("unknown", "the states are: 'count'; declare it with state()"),
        ("type", "the state is .*int64.*, the value .*float32"),
        ("number", "takes a value of the pipeline, got int"),
    ],
)
def test_refused(what: str, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        build(what)


def test_state_in_bfloat16() -> None:
    pipe = devproc.pipeline("kept")
    kept = pipe.state("kept", "bfloat16", (2, 3), [1 / 3, 1e5, -2.7])
    pipe.update("kept", pipe.input("x", "bfloat16", (2, 3)))
    pipe.output("kept", kept)
    program = devproc.compile(pipe, cache=False)
    wanted = torch.tensor([1 / 3, 1e5, -2.7]).bfloat16().expand(2, 3)
    x = torch.randn(2, 3).bfloat16()
    assert torch.equal(program(x)["kept"], wanted)
    assert torch.equal(program(x)["kept"], x)
    program.reset()
    assert np.array_equal(program.state["kept"], wanted.float().numpy())
