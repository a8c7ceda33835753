"""Streams, events and staging memory of a program: in the text, and on a recorder."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

import devproc
from devproc.dialects.dev import WaitOp, stream_number
from devproc.driver import module_text, parse_module
from devproc.ir.functions import ops_of
from devproc.ir.verification.verify import verify_module
from devproc.program import Program
from devproc.runtime.bundles.check_artifact import check_artifact
from devproc.runtime.execution.staging import Staging, StagingRing
from devproc.targets.triton.recording.recorder import Recorder, RecorderError
from tests.triton.recorded import on_device, program_of


class TwoEncoders(nn.Module):
    """An encoder of an image and one of a sound, whose results are read together."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(2)
        sizes = [(5, 6), (6, 7), (7, 8), (8, 5), (5, 9)]
        layers = [[(nn.Linear(*s), nn.ReLU()) for s in sizes] for _ in range(2)]
        self.image, self.sound = (
            nn.Sequential(*(m for pair in own for m in pair)) for own in layers
        )

    def forward(self, image: torch.Tensor, sound: torch.Tensor) -> torch.Tensor:
        return self.image(image) + self.sound(sound)


def batches(count: int = 1) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Different inputs for so many calls; one has an infinity."""
    found = [(torch.randn(3, 5), torch.randn(3, 5)) for _ in range(count)]
    found[-1][0][1, 2] = torch.inf
    return found


def compiled_text() -> str:
    """The host program of the two encoders."""
    return program_of(TwoEncoders(), *batches()[0], target="cuda:interpret").ir("host")


@cache
def host_text() -> str:
    """That of one compilation."""
    return compiled_text()


def close(found: object, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(torch.as_tensor(found), wanted, equal_nan=True)


def waits_in(module: ModuleOp) -> list[WaitOp]:
    return [op for op in ops_of(module, "main") if isinstance(op, WaitOp)]


def test_two_islands_have_two_streams() -> None:
    module = parse_module(host_text())
    verify_module(module)
    assert module_text(parse_module(module_text(module))) == module_text(module)
    launches = [op for op in ops_of(module, "main") if op.name == "plan.launch"]
    assert {stream_number(op) for op in launches} == {0, 3}
    assert sum(stream_number(op) == 3 for op in launches) >= 4
    assert compiled_text() == host_text()


def test_each_missing_wait_is_found() -> None:
    text = host_text()
    count = len(waits_in(parse_module(text)))
    assert count >= 6
    for number in range(count):
        module = parse_module(text)
        waits_in(module)[number].detach()
        with pytest.raises(
            VerifyException, match=r"dev\.wait|may run before|live|used"
        ):
            verify_module(module)


@pytest.mark.parametrize("stream", [1, 2, 3])
def test_each_wait_for_another_stream_is_found(stream: int) -> None:
    """Of what a stream waits for, an event of its own is no substitute."""
    module = parse_module(host_text())
    wait = next(op for op in waits_in(module) if stream_number(op) == stream)
    record = wait.event.owner
    text = module_text(module)
    own = f'dev.record "cuda" stream {stream_number(record)}'  # pyright: ignore[reportArgumentType]
    assert own in text
    with pytest.raises(VerifyException):
        verify_module(parse_module(text.replace(own, f"{own[:-1]}{stream}", 1)))


def test_values_of_several_calls(recorder: Recorder) -> None:
    model = TwoEncoders()
    program = program_of(model, *batches()[0])
    for stream, (image, sound) in zip((0, 0, 0, 7, 7, 0), batches(6), strict=True):
        recorder.current = stream
        wanted = model(image, sound)
        close(program(image, sound), wanted)
        close(program(image.numpy(), sound.numpy()), wanted)
        on_it = [recorder.tensor(value) for value in (image, sound)]
        close(program(*on_it).cpu(), wanted)
        close(program(on_it[0], sound).cpu(), wanted)
    assert recorder.count("graph") > 10
    assert recorder.count("host trip") == 12
    # Both islands, and the copies to and from the device.
    assert len({r.stream for r in recorder.log if r.kind == "launch"} - {0, 7}) == 1
    assert len({r.stream for r in recorder.log if r.kind == "download"}) == 1


def without_step(program: Program, number: int) -> Program:
    """The program without one of its waits."""
    host = program.artifact.host
    waits = [i for i, step in enumerate(host.steps) if step.kind == "wait"]
    steps = [s for i, s in enumerate(host.steps) if i != waits[number]]
    changed = replace(program.artifact, host=replace(host, steps=tuple(steps)))
    return Program(changed, program.weights)


def test_each_missing_wait_is_found_in_a_run() -> None:
    """On a recorder, works that are in no order, or values that are read too early."""
    model, given = TwoEncoders(), batches(4)
    program = program_of(model, *given[0])
    waits = sum(step.kind == "wait" for step in program.artifact.host.steps)

    def run_all(number: int) -> None:
        wrong = without_step(program, number)
        for image, sound in given:
            close(wrong(image, sound), model(image, sound))

    for number in range(waits):
        with on_device(Recorder()), pytest.raises((RecorderError, AssertionError)):
            run_all(number)


@pytest.mark.parametrize("shared", [False, True])
def test_two_calls_in_flight(
    shared: bool, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a call waits for the device, another one is queued, on other memory."""
    model = TwoEncoders()
    (first, second, *more) = batches(5)
    program = program_of(model, *first)
    program(*more[0])
    if shared:
        (staging,) = program._steps._ring._free  # pyright: ignore
        monkeypatch.setattr(StagingRing, "take", lambda self: staging)
    finish, results = recorder.finish, dict[str, torch.Tensor]()

    def finish_later(event: object) -> None:
        monkeypatch.setattr(recorder, "finish", finish)
        results["second"] = program(*second)
        finish(event)  # pyright: ignore[reportArgumentType]

    for _ in range(3):
        monkeypatch.setattr(recorder, "finish", finish_later)
        results["first"] = program(*first)
        found = (results["first"], results["second"])
        right = all(
            torch.allclose(value, model(*given), equal_nan=True)
            for value, given in zip(found, (first, second), strict=True)
        )
        assert right != shared


@pytest.mark.parametrize("waits", [True, False])
def test_staging_memory_is_reused_after_its_event(
    waits: bool, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls with results on the device return at once; the third one needs the memory
    of the first one."""
    model = TwoEncoders()
    program = program_of(model, *batches()[0])
    if not waits:
        monkeypatch.setattr(Staging, "wait", lambda self: None)
    given = batches(5)
    found = [program(image, recorder.tensor(sound)) for image, sound in given]
    assert recorder.count("finish") == (3 if waits else 0)
    wanted = [model(image, sound) for image, sound in given]
    right = [
        torch.allclose(value.cpu(), other, equal_nan=True)
        for value, other in zip(found, wanted, strict=True)
    ]
    assert all(right) == waits


def test_inputs_of_each_dtype_are_staged(recorder: Recorder) -> None:
    class Adds(nn.Module):
        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            return torch.stack([value.float() for value in given]).sum(0)

    dtypes = (torch.uint8, torch.bool, torch.int16, torch.int64, torch.float16)
    given = [torch.randint(0, 2, (3, 7)).to(dtype) for dtype in dtypes]
    program = program_of(Adds(), *given)
    for _ in range(3):
        close(program(*given), Adds()(*given))
        close(program(*(v.t().contiguous().t() for v in given)), Adds()(*given))
    assert recorder.count("upload") == 6 * len(dtypes)
    with pytest.raises(devproc.InputError, match="must be uint8"):
        program(given[0].int(), *given[1:])


def test_an_empty_input_is_staged(recorder: Recorder) -> None:
    class Joins(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return torch.cat([x, y]) * 2

    x, y = torch.randn(0, 3), torch.randn(2, 3)
    program = program_of(Joins(), x, y)
    for _ in range(3):
        close(program(x, y), Joins()(x, y))
        np.testing.assert_array_equal(program(x.numpy(), y.numpy()), 2 * y.numpy())


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("record", {"event": 99}, "event .* was not recorded"),
        ("copy", {"stream": -1}, "there is no stream -1"),
    ],
)
def test_damaged_steps_are_refused(
    kind: str, change: dict[str, int], message: str
) -> None:
    program = program_of(TwoEncoders(), *batches()[0], target="cuda:interpret")
    host = program.artifact.host
    steps = [replace(s, **change) if s.kind == kind else s for s in host.steps]
    damaged = replace(program.artifact, host=replace(host, steps=tuple(steps)))
    with pytest.raises(devproc.BundleError, match=message):
        check_artifact(damaged, program.weights, "the program")
