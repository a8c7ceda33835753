"""The recorder finds what a card refuses, and works that are not in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from devproc.targets.triton.code import GPUCode
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.launch import LoadedKernels
from devproc.targets.triton.recording.recorder import Recorder, RecorderError

SOURCE = """import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr):
    lanes = tl.arange(0, 16)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes) * 2)
"""

KERNEL = TritonKernel("double", SOURCE, ("*fp32", "*fp32"), (1, 1, 1), 4, 1)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def loaded(recorder: Recorder, kernel: TritonKernel = KERNEL) -> LoadedKernels:
    return LoadedKernels(recorder, GPUCode({kernel.name: kernel}))


def test_a_launch_computes_when_it_is_waited_for(recorder: Recorder) -> None:
    x, out = (recorder.tensor(torch.arange(16.0)) for _ in range(2))
    kernels = loaded(recorder)
    with kernels.session():
        kernels.prepare("double", [x, out])(0)
        kernels.prepare("double", [out, x])(0)
    torch.testing.assert_close(out.host, torch.arange(16.0))
    recorder.synchronize(0)
    torch.testing.assert_close(out.host, torch.arange(16.0) * 2)
    torch.testing.assert_close(x.cpu(), torch.arange(16.0) * 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arg_types": ("*fp32", "*i32")}, r"argument 1 .* is \*fp32, not \*i32"),
        ({"grid": (1, 65536, 1)}, r"has the grid \(1, 65536, 1\)"),
    ],
)
def test_arguments_and_grids(
    change: dict[str, object], message: str, recorder: Recorder
) -> None:
    kernels = loaded(recorder, replace(KERNEL, **change))  # pyright: ignore[reportArgumentType]
    x = recorder.tensor(torch.zeros(16))
    with kernels.session(), pytest.raises(RecorderError, match=message):
        kernels.prepare("double", [x, x])


def test_memory_that_is_not_the_devices(recorder: Recorder) -> None:
    kernels, x = loaded(recorder), recorder.tensor(torch.zeros(32))
    with kernels.session(), pytest.raises(RecorderError, match="not in the memory"):
        kernels.prepare("double", [x[:16], torch.zeros(16)])
    with kernels.session(), pytest.raises(RecorderError, match="has gaps"):
        kernels.prepare("double", [x[::2], x[:16]])


def test_a_launch_on_memory_that_was_freed(recorder: Recorder) -> None:
    kernels, x = loaded(recorder), recorder.tensor(torch.zeros(16))
    with kernels.session():
        kernels.prepare("double", [x, recorder.tensor(torch.zeros(16))])(0)
        with pytest.raises(RecorderError, match="uses memory that was freed"):
            recorder.synchronize(0)


def test_a_launch_where_another_device_may_be_current(recorder: Recorder) -> None:
    kernels, x = loaded(recorder), recorder.tensor(torch.zeros(16))
    with kernels.session():
        launch = kernels.prepare("double", [x, x])
    with pytest.raises(RecorderError, match="is launched elsewhere"):
        launch(0)


@pytest.mark.parametrize("in_order", [True, False])
def test_works_of_two_streams(in_order: bool, recorder: Recorder) -> None:
    kernels = loaded(recorder)
    x, y, z = (recorder.tensor(torch.arange(16.0)) for _ in range(3))
    with kernels.session():
        kernels.prepare("double", [x, y])(0)
        # Two readers of one buffer need no order.
        kernels.prepare("double", [x, recorder.tensor(torch.zeros(16))])
        reader = kernels.prepare("double", [y, z])
        if in_order:
            event = recorder.make_event()
            recorder.record(event, 0)
            recorder.wait(event, 7)
            reader(7)
            recorder.synchronize(7)
            torch.testing.assert_close(z.host, torch.arange(16.0) * 4)
            # The host has waited: everything later is in order.
            kernels.prepare("double", [z, x])(3)
            return
        with pytest.raises(
            RecorderError, match="'double', work 0 of stream 0, are not"
        ):
            reader(7)


def test_what_a_capture_forbids(recorder: Recorder) -> None:
    x = recorder.tensor(torch.zeros(16))
    forbidden = {
        "memory is allocated": lambda: recorder.allocate(4),
        "the host waits": lambda: recorder.synchronize(0),
        "an event from outside": lambda: recorder.wait(recorder.make_event(), 3),
        "stream 3 is not part": lambda: recorder.record(recorder.make_event(), 3),
        "the host waits during": lambda: recorder.finish(recorder.make_event()),
        "a upload is part": lambda: x.copy_(torch.ones(16)),
    }
    for message, act in forbidden.items():
        with pytest.raises(RecorderError, match=message):
            recorder.capture(lambda stream, act=act: act())
    assert recorder.count("graph") == 0


def test_operations_of_pytorch_see_what_was_queued(recorder: Recorder) -> None:
    x, out = (recorder.tensor(torch.arange(16.0)) for _ in range(2))
    kernels = loaded(recorder)
    with kernels.session():
        kernels.prepare("double", [x, out])(0)
    assert (out + 1).cpu().tolist() == (torch.arange(16.0) * 2 + 1).tolist()
    assert recorder.count("host trip") == 1
