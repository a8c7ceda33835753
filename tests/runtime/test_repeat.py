"""Calls in a row: the native loop, that of the runtime, what ends them, and signals."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import BuildError, BundleError, BusyError, InputError
from devproc.ir.weights.table import WeightTable
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.runtime.execution.host_program import Repeat
from tests.runtime.children import interrupt_after, run_in_child

MOST, SHAPE = 64, (3, 37)
SCALE = np.random.default_rng(0).uniform(0.9, 1.1, SHAPE).astype(np.float32)


def growth(last: int = 1000, two_places: bool = False) -> Any:
    """x becomes SCALE x + 1 in each call, until call `last`."""
    pipe = devproc.pipeline("growth")
    count = pipe.state("count", "int64", (1,))
    x = pipe.state("x", "float32", SHAPE, layout="")
    now, after = pipe.add(count, 1), pipe.add(pipe.multiply(x, SCALE), 1.0)
    pipe.update("count", now)
    pipe.update("x", after)
    if two_places:
        pipe.output("before", x)
    pipe.output("x", after)
    pipe.output("count", now)
    pipe.output("ended", pipe.equal(now, last))
    pipe.repeat(MOST, until="ended")
    return pipe


def grown(count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The values of x after each call, in float64."""
    rows = [np.zeros(SHAPE)]
    for _ in range(count):
        rows.append(rows[-1] * SCALE + 1)
    return np.stack(rows[1:])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Saved and loaded, with a native loop."""
    path = tmp_path_factory.mktemp("repeat") / "growth.devproc"
    devproc.compile(growth(40), threads=1, cache=False).save(path)
    loaded = devproc.load(path)
    assert loaded.artifact.host.repeat == Repeat(MOST, 2, "segment_0_repeat")
    return loaded


def test_native_calls_are_those_of_single_ones(program: Any) -> None:
    program.reset()
    found = program.repeat(17)
    np.testing.assert_allclose(found["x"], grown(17), rtol=2e-6)
    assert found["count"].ravel().tolist() == list(range(1, 18))
    single = [program() for _ in range(3)]
    np.testing.assert_allclose([s["x"] for s in single], grown(20)[17:], rtol=2e-6)
    # The call for which `until` is true is the last one.
    rest = program.repeat(MOST)
    assert rest["count"].ravel().tolist() == list(range(21, 41))
    assert rest["ended"].ravel().tolist() == [False] * 19 + [True]
    assert program.state["count"] == [40]
    np.testing.assert_array_equal(program.state["x"], rest["x"][-1])


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("two places", {}),
        ("bounds", {"check_bounds": True}),
        ("device", {"target": "cuda:interpret"}),
    ],
)
def test_calls_that_the_runtime_repeats(kind: str, options: dict[str, Any]) -> None:
    pipe = growth(9, two_places=kind == "two places")
    program = devproc.compile(pipe, threads=1, cache=False, **options)
    assert program.artifact.host.repeat.symbol == ""
    seen: list[int] = []

    def follow(outputs: Any) -> bool:
        seen.append(int(outputs["count"][0]))
        return len(seen) < 4

    first = program.repeat(6, follow)
    assert first["count"].ravel().tolist() == seen == [1, 2, 3, 4]
    assert program.repeat(MOST)["count"].ravel().tolist() == [5, 6, 7, 8, 9]
    np.testing.assert_allclose(first["x"], grown(4), rtol=2e-6)


class Writer(torch.nn.Module):
    """Writes a row of ones."""

    kept: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.zeros(5, 3))

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        self.kept.index_copy_(0, at, torch.ones(1, 3))
        return self.kept.sum(0)


@pytest.mark.parametrize("has_follow", [False, True])
def test_a_check_ends_the_calls(has_follow: bool) -> None:
    """The sixth call writes past the end."""
    pipe = devproc.pipeline("writer")
    at = pipe.state("at", "int64", (1,))
    exported = torch.export.export(Writer(), (torch.tensor([0]),))
    pipe.output("sum", pipe.model(exported, at))
    pipe.update("at", pipe.add(at, 1))
    pipe.output("ended", pipe.equal(at, 100))
    pipe.repeat(MOST, until="ended")
    program = devproc.compile(pipe, threads=1, cache=False, check_values=True)
    assert program.artifact.host.repeat == Repeat(MOST, 1, "segment_0_repeat")
    assert program.repeat(2)["sum"].tolist() == [[1] * 3, [2] * 3]
    seen: list[float] = []

    def follow(outputs: Any) -> bool:
        seen.append(float(outputs["sum"][0]))
        return True

    with pytest.raises(InputError, match=r"index 5 at .* must be 0 to 4"):
        program.repeat(MOST, follow if has_follow else None)
    assert seen == ([3, 4, 5] if has_follow else [])
    assert program.state["at"] == [5]
    np.testing.assert_array_equal(program.state["model.kept"], np.ones((5, 3)))
    program.reset()
    assert len(program.repeat(5)["sum"]) == 5


def test_what_follows_a_call_may_end_them(program: Any) -> None:
    program.reset()
    seen: list[Any] = []

    def follow(outputs: Any) -> bool:
        seen.append(outputs["x"].copy())
        # The states are those after the call.
        np.testing.assert_array_equal(program.state["x"], outputs["x"])
        return len(seen) < 5

    found = program.repeat(MOST, follow)
    np.testing.assert_array_equal(found["x"], seen)
    assert program.state["count"] == [5]


@pytest.mark.parametrize(
    "use",
    [
        lambda p: p(),
        lambda p: p.reset(),
        lambda p: p.repeat(1),
        lambda p: p.state.assign({"count": np.array([3])}),
    ],
)
def test_what_follows_a_call_may_not_use_the_program(
    program: Any, use: Callable[[Any], object]
) -> None:
    program.reset()
    with pytest.raises(BusyError, match="in use by this very thread"):
        program.repeat(9, lambda _: use(program))
    assert program.state["count"] == [1]


def test_exceptions_end_the_calls_and_keep_the_state(program: Any) -> None:
    program.reset()

    def fail(outputs: Any) -> bool:
        if outputs["count"][0] == 7:
            raise ZeroDivisionError
        return True

    with pytest.raises(ZeroDivisionError):
        program.repeat(MOST, fail)
    assert program.state["count"] == [7]
    np.testing.assert_allclose(program.state["x"], grown(7)[-1], rtol=2e-6)


def test_signals_end_the_calls_at_once() -> None:
    """Each at another moment; an exception is never lost, and no call is half done."""
    program: Any = devproc.compile(growth(10**9), threads=1, cache=False)

    def run() -> None:
        while True:
            program.repeat(MOST, lambda _: True)

    for number in range(60):
        assert interrupt_after(1e-4 + number * 7e-6, run) is None
        found = dict(program.state)
        program.reset()
        for begin in range(0, int(found["count"][0]), MOST):
            program.repeat(min(MOST, int(found["count"][0]) - begin))
        for name, value in program.state.items():
            np.testing.assert_array_equal(value, found[name])
        program.reset()


def test_forks_between_the_calls() -> None:
    """A fork of another thread waits for a call, not for all; the child goes on."""
    program: Any = devproc.compile(growth(), threads=1, cache=False)
    begun, leave = threading.Event(), threading.Event()

    def follow(_: Any) -> bool:
        begun.set()
        return not leave.wait(0.01)

    caller = threading.Thread(target=program.repeat, args=(MOST, follow))
    caller.start()
    assert begun.wait(60)

    def in_child() -> None:
        count = int(program.state["count"][0])
        assert program.repeat(2)["count"].ravel().tolist() == [count + 1, count + 2]

    try:
        started = time.monotonic()
        assert run_in_child(in_child) == 0
        assert caller.is_alive()
        assert time.monotonic() - started < 0.5
    finally:
        leave.set()
        caller.join()
    # The thread that repeats may fork as well.
    codes: list[int] = []
    program.repeat(1, lambda _: codes.append(run_in_child(os.getpid)))
    assert codes == [0]


@pytest.mark.parametrize("count", [0, -1, MOST + 1])
def test_counts(program: Any, count: int) -> None:
    with pytest.raises(InputError, match=f"count is {count}; give 1 to {MOST}"):
        program.repeat(count)


def test_pipelines_that_are_not_repeated() -> None:
    pipe = devproc.pipeline("once")
    pipe.output("x", pipe.state("x", "float32", (1,)))
    with pytest.raises(InputError, match="the program is called once at a time"):
        devproc.compile(pipe, cache=False).repeat(2)
    pipe = devproc.pipeline("takes")
    x = pipe.input("x", "float32", (1,))
    pipe.output("ended", pipe.less(x, 0.0))
    pipe.repeat(2, until="ended")
    with pytest.raises(BuildError, match=r'@main takes "x"; .* nothing but states'):
        devproc.compile(pipe)
    for until, message in (("y", 'no output is named "y"'), ("x", "not one bool")):
        pipe = devproc.pipeline("wrong")
        pipe.output("x", pipe.state("x", "float32", (2,), layout=""))
        pipe.repeat(2, until=until)
        with pytest.raises(BuildError, match=message):
            devproc.compile(pipe)
    with pytest.raises(BuildError, match="at_most is 0"):
        devproc.pipeline("none").repeat(0, until="x")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"at_most": 0}, "cannot call it 0 times"),
        ({"at_most": 1 << 62}, "cannot call it"),
        ({"until": 0}, "output 0 is not one bool"),
        ({"until": 7}, "output 7 is not one bool"),
        ({"symbol": "segment_1_repeat"}, "no function 'segment_1_repeat'"),
    ],
)
def test_damaged_files(program: Any, changes: Any, message: str) -> None:
    host = program.artifact.host
    damaged = replace(host, repeat=replace(host.repeat, **changes))
    weights = WeightTable()
    weights.update(program.weights)
    with pytest.raises(BundleError, match=message):
        check_artifact(replace(program.artifact, host=damaged), weights, "it")


def test_json(program: Any, tmp_path: Path) -> None:
    """The exchange format knows repeated pipelines."""
    files = tmp_path / "growth.json", tmp_path / "growth.safetensors"
    devproc.export_json(growth(40), files[0], weights=files[1])
    source = devproc.load_json(files[0], weights=files[1])
    read = devproc.compile(source, threads=1, cache=False)
    assert read.artifact.host.repeat == program.artifact.host.repeat
    assert read.repeat(MOST)["count"].ravel().tolist() == list(range(1, 41))
