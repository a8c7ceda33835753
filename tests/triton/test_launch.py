"""Programs for a GPU on a recorder: where values are, what is queued, in which order."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.targets.triton.recording.recorder import Recorder
from devproc.targets.triton.recording.tensor import RecordedTensor
from tests.triton.recorded import program_of


class Remembers(nn.Module):
    """Three kernels and a state of the device; two outputs of different dtypes."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.randn(3, 5))
        self.linear = nn.Linear(5, 7)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.total.mul_(0.5).add_(x)
        return self.linear(self.total).relu(), x > 0


class Recalls(Remembers):
    """Its state has two places: each new element comes from another old one."""

    def forward(self, x: torch.Tensor) -> Any:
        self.total.copy_(self.total.flip(0) * 0.5 + x)
        return self.linear(self.total).relu(), x > 0


def batch() -> torch.Tensor:
    x = torch.randn(3, 5)
    x[0, 0], x[1, 2] = torch.inf, -0.0
    return x


def close(found: Sequence[Any], wanted: Sequence[torch.Tensor]) -> None:
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(torch.as_tensor(one), other, equal_nan=True)


def test_values_are_where_the_inputs_are(recorder: Recorder) -> None:
    torch.manual_seed(0)
    model = Remembers()
    program = program_of(model, batch())
    eager = copy.deepcopy(model)
    kinds: list[tuple[Callable[[torch.Tensor], object], type]] = [
        (recorder.tensor, RecordedTensor),
        (torch.Tensor.numpy, np.ndarray),
        (torch.Tensor.clone, torch.Tensor),
    ]
    for give, kind in kinds * 2:
        x = batch()
        recorder.log.clear()
        found = program(give(x))
        assert {type(value) for value in found} == {kind}
        assert recorder.count("host trip") == 0
        on_host = kind is not RecordedTensor
        assert recorder.count("download") == (2 if on_host else 0)
        close([v.cpu() if kind is RecordedTensor else v for v in found], eager(x))
        close([program.state["total"]], [eager.total])


def test_a_state_stays_on_its_device(recorder: Recorder) -> None:
    model = Remembers()
    program = program_of(model, batch())
    x = recorder.tensor(batch())
    program(x)
    program(x)
    for _ in range(4):
        recorder.log.clear()
        program(x)
        kinds = [r.kind for r in recorder.log if r.kind not in ("launch", "capture")]
        # Nothing waits, and of the state nothing is copied.
        assert sorted(kinds) == ["copy"] * 3 + ["graph"]
    program.state["total"] = np.zeros((3, 5), np.float32)
    program(recorder.tensor(torch.ones(3, 5)))
    np.testing.assert_array_equal(program.state["total"], np.ones((3, 5)))
    program.reset()
    np.testing.assert_array_equal(program.state["total"], model.total)


def test_a_state_is_on_one_device(recorder: Recorder, tmp_path: Path) -> None:
    model = Recalls()
    program = program_of(model, batch())
    program.save(tmp_path / "state.devproc")
    loaded, x = devproc.load(tmp_path / "state.devproc"), batch()
    close(loaded(x), copy.deepcopy(model)(x))
    host = program.artifact.host
    slots = [replace(s, device="cpu") if s.kind == "input" else s for s in host.slots]
    changed = replace(program.artifact, host=replace(host, slots=tuple(slots)))
    with pytest.raises(devproc.BundleError, match=r"state 0 is on .*'cpu', 'cuda'"):
        check_artifact(changed, program.weights, "the program")


@pytest.mark.parametrize(("model", "places"), [(Remembers, 1), (Recalls, 2)])
def test_the_second_call_is_one_graph(
    recorder: Recorder, model: type[nn.Module], places: int
) -> None:
    program = program_of(model(), batch())
    x = batch()
    for call in range(5):
        recorder.log.clear()
        program(x)
        # A state in two places alternates between them, each with a graph of its own.
        assert recorder.count("graph") == (call >= places)
        assert recorder.count("capture") == (places <= call < 2 * places)
        assert recorder.count("launch") == 3
        # The first call also moves the state.
        assert recorder.count("sync") == 1 + (call == 0)


def test_a_loop_is_part_of_the_graph(recorder: Recorder) -> None:
    torch.manual_seed(1)
    model = nn.LSTM(5, 7, batch_first=True)
    x = torch.randn(2, 3, 5)
    program = program_of(model, x)
    for _ in range(3):
        recorder.log.clear()
        found, (hidden, cell) = program(x)
        wanted, (hidden_0, cell_0) = model(x)
        close((found, hidden, cell), (wanted, hidden_0, cell_0))
    assert recorder.count("graph") == 1
    assert recorder.count("launch") > 3 * 3


def test_a_loop_whose_last_state_nobody_reads(recorder: Recorder) -> None:
    class Outputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.r = nn.GRU(5, 6, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.r(x)[0]

    torch.manual_seed(1)
    model, x = Outputs(), torch.randn(2, 3, 5)
    close((program_of(model, x)(x),), (model(x),))


def test_what_cannot_be_captured_is_launched(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def capture(*_: object) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(recorder, "capture", capture)
    monkeypatch.setattr("devproc.ir.cache_folder._warned", set[str]())
    program = program_of(nn.Sequential(nn.Linear(5, 7), nn.Softmax(1)), batch())
    program(batch())
    with pytest.warns(RuntimeWarning, match="one by one.*not permitted when stream"):
        program(batch())
    program(batch())
    assert recorder.count("launch") == 6


def test_a_graph_of_the_caller_waits_for_nothing_outside(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event from outside of it would make the graph invalid."""
    program = program_of(nn.Sequential(nn.Linear(5, 7), nn.Softmax(1)), batch())
    program(recorder.tensor(batch()))
    with monkeypatch.context() as patch:
        patch.setattr(recorder, "is_capturing", lambda: True)
        recorder.synchronize(recorder.stream())
        recorder.current = 3
        recorder.log.clear()
        program(recorder.tensor(batch()))
        assert recorder.count("wait") == 0
        assert recorder.count("launch") == 2


def test_a_call_follows_the_one_before_on_another_stream(recorder: Recorder) -> None:
    model = Remembers()
    program, eager = program_of(model, batch()), copy.deepcopy(model)
    outputs, wanted = list[RecordedTensor](), list[torch.Tensor]()
    for stream in (0, 3, 3, 0, 5):
        x = batch()
        recorder.current = stream
        outputs.append(program(recorder.tensor(x))[0])
        wanted.append(eager(x)[0])
    assert recorder.count("wait") == 3
    assert recorder.count("sync") == 1  # of the initial state
    for stream in (5, 3, 0):
        recorder.synchronize(stream)
    close([value.host for value in outputs], wanted)


def test_kernels_of_the_host_between_those_of_the_device(recorder: Recorder) -> None:
    class Mixed(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = (x @ x.T).relu()
            return y.softmax(1) @ y, x.cumsum(0)

    program = program_of(
        Mixed(),
        torch.randn(9, 9),
        target="cpu+cuda",
        placement={"*": "cpu", "nn.matmul": "cuda"},
    )
    assert {step.device for step in program.artifact.host.steps} == {"cpu", "cuda"}
    for _ in range(3):
        x = torch.randn(9, 9)
        close(program(x), Mixed()(x))
        # The host reads the input and writes an output.
        found = program(recorder.tensor(x))
        assert all(isinstance(value, RecordedTensor) for value in found)
        close([value.cpu() for value in found], Mixed()(x))


def test_outputs_that_no_kernel_computes(recorder: Recorder) -> None:
    class Passes(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return x, (x + y).exp(), y[:0]

    x, y = torch.randn(3, 5), torch.randn(3, 5)
    program = program_of(Passes(), x, y)
    for given in ((x, y), (recorder.tensor(x), y), (recorder.tensor(x).t().t(), y)):
        found = [v.cpu() for v in program(*given)]
        close(found, Passes()(x, y))


def test_the_callers_memory_is_free_after_a_call(recorder: Recorder) -> None:
    """Uploads are queued; the host's memory that they read must not be the caller's."""
    program = program_of(Remembers(), batch())
    x, y = torch.ones(3, 5), recorder.tensor(torch.ones(3, 5))

    class Sum(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x + y

    program = program_of(Sum(), x, x)
    found = program(x, y)
    x.fill_(100)
    assert found.cpu().eq(2).all()


def test_a_wrong_tensor_of_the_device_is_refused(recorder: Recorder) -> None:
    program = program_of(Remembers(), batch())
    with pytest.raises(devproc.InputError, match="got float64"):
        program(recorder.tensor(batch().double()))
    assert recorder.count("launch") == 0
