"""A card without one: PyTorch's part is replaced, the driver writes down its calls."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from devproc.errors import CompileError
from devproc.targets.triton import binaries as compiling
from devproc.targets.triton.card import Card
from devproc.targets.triton.code import Binary, digest
from devproc.targets.triton.driver import Driver
from devproc.targets.triton.kernel import TritonKernel
from tests.triton.recorded import on_device, program_of
from tests.triton.stub_driver import StubDriver

CUBIN = b"\x7fELF relu"


@pytest.fixture
def stub() -> StubDriver:
    return StubDriver()


@pytest.fixture
def card(stub: StubDriver, monkeypatch: pytest.MonkeyPatch) -> Card:
    """A card of sm_90 whose memory is the host's."""
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: (9, 0))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    monkeypatch.setattr(
        torch._C, "_cuda_getCurrentRawStream", lambda index: 5, raising=False
    )
    made = Card(0, Driver(stub))
    monkeypatch.setattr(made, "_device", torch.device("cpu"))
    monkeypatch.setattr(made, "staging", made.allocate)
    return made


def test_packed_arguments(stub: StubDriver) -> None:
    driver = Driver(stub)
    function = driver.function(CUBIN, "relu", 100_000)
    assert stub.calls == [
        ("load", CUBIN),
        ("function", b"relu"),
        ("attribute", 8, 100_000),
    ]
    launch = driver.prepare(function, (9, 2, 3), 128, 100_000, [1 << 40, 64, 128, 0])
    for stream in (0, 77):
        launch(stream)
        assert stub.calls[-1] == (
            *("launch", (9, 2, 3), (128, 1, 1), 100_000, stream),
            (1 << 40, 64, 128, 0),
        )
    count = len(stub.calls)
    driver.prepare(function, (9, 0, 3), 128, 0, [1, 2, 3, 4])(0)
    assert len(stub.calls) == count
    stub.status = 700
    with pytest.raises(CompileError, match=r"cuLaunchKernelEx failed: an illegal.*700"):
        launch(0)


def test_a_program_on_a_card(
    card: Card, stub: StubDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def compile(
        kernels: Sequence[TritonKernel], arch: str, aligned: bool = True
    ) -> list[Any]:
        made.extend(f"{kernel.name} {arch} {aligned}" for kernel in kernels)
        sizes = (8, 50_000, 16, True, len(CUBIN), digest(CUBIN))
        return [(Binary(k.name, arch, aligned, "relu", *sizes), CUBIN) for k in kernels]

    monkeypatch.setattr(compiling, "binaries", compile)
    graphs: list[str] = []
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: FakeGraph(graphs))
    monkeypatch.setattr(
        torch.cuda, "Stream", lambda device: SimpleNamespace(cuda_stream=9)
    )
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nullcontext())
    with on_device(card):
        program = program_of(
            nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2)), torch.randn(70, 3)
        )
        for _ in range(3):
            program(torch.randn(70, 3))
        # It waits for its stream.
        del program
    kernels = len(made)
    assert kernels > 1
    assert all(text.endswith("sm_90 True") for text in made)
    # A thread without a context gets that of the card.
    assert stub.calls[0] == ("context", 0xC0)
    assert stub.calls[1][0] == "load"
    launches = [call for call in stub.calls if call[0] == "launch"]
    assert len([call for call in stub.calls if call[0] == "load"]) == 1
    assert [call[2] for call in launches] == [(256, 1, 1)] * len(launches)
    assert all(address % 16 == 0 for call in launches for address in call[5][:2])
    # Each kernel waits for the one before it by itself.
    assert stub.dependent == [(6, 1)] * len(launches)
    assert graphs == ["begin", "end", "replay", "replay"]
    assert [call[4] for call in launches] == [5] * kernels + [9] * kernels


class FakeGraph:
    """The methods of `torch.cuda.CUDAGraph` that are called."""

    def __init__(self, log: list[str]) -> None:
        self._log = log

    def capture_begin(self, capture_error_mode: str) -> None:
        assert capture_error_mode == "thread_local"
        self._log.append("begin")

    def capture_end(self) -> None:
        self._log.append("end")

    def replay(self) -> None:
        self._log.append("replay")
