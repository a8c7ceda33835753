"""The driver's functions through the C interface, with real cubins and without a GPU.

The stub has the structures of `cuda.h`, and reads parameters and block sizes off cubins.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import CompileError
from devproc.targets.triton.aot import CompiledKernel, compile_kernel
from devproc.targets.triton.card import Card
from devproc.targets.triton.code import read_code
from devproc.targets.triton.driver import Driver
from tests.triton import programs
from tests.triton.recorded import on_device, program_of
from tests.triton.stub_cuda import StubCuda
from tests.triton.support import kernels

COUNT = 1001

ADDITION = programs.elementwise(
    "%r = arith.addf %a, %b : f32", "f32", (COUNT,), "f32", "f32"
)


def compiled(text: str, arch: str = "sm_90") -> CompiledKernel:
    (kernel,) = kernels(text, interpret=False)
    return compile_kernel(kernel, arch)


@dataclass
class Opened:
    """The stub with a current context."""

    stub: StubCuda
    driver: Driver

    def memory(self, byte_count: int) -> int:
        address = ctypes.c_uint64()
        assert not self.stub.library.cuMemAlloc_v2(
            ctypes.byref(address), ctypes.c_size_t(byte_count)
        )
        return address.value

    def free(self, address: int) -> None:
        assert not self.stub.library.cuMemFree_v2(ctypes.c_uint64(address))


def opened(capability: int = 90) -> Opened:
    stub = StubCuda(capability)
    assert not stub.library.cuInit(0)
    driver = Driver(stub.library)
    driver.enter(0)
    return Opened(stub, driver)


def test_values_pass_through_copies_and_a_launch() -> None:
    made, at = compiled(ADDITION), opened()

    def add(arguments: Sequence[int]) -> None:
        a, b, result = (
            np.ctypeslib.as_array((ctypes.c_float * COUNT).from_address(place))
            for place in arguments[:3]
        )
        result[:] = a + b

    at.stub.replace(made.symbol, add)
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(COUNT).astype(np.float32) for _ in range(2))
    found = np.zeros_like(a)
    places = [at.memory(a.nbytes) for _ in range(3)]
    stream = at.driver.make_stream()
    function = at.driver.function(made.cubin, made.symbol, made.shared_bytes)
    grid, threads = made.kernel.grid, 32 * made.num_warps
    pointers = [*places, 0, 0]
    for source, place in zip((a, b), places, strict=False):
        at.driver.prepare_copy(place, source.ctypes.data, a.nbytes)(stream)
    at.driver.prepare(function, grid, threads, made.shared_bytes, pointers, True)(
        stream
    )
    at.driver.prepare_copy(found.ctypes.data, places[2], a.nbytes)(stream)
    np.testing.assert_array_equal(found, a + b)
    shown = " ".join(map(str, grid))
    assert at.stub.log() == [
        *(f"allocate {n} bytes {a.nbytes}" for n in range(3)),
        "module 0 sm_90",
        # Triton adds two pointers: scratch memory of the kernel, and of a profiler.
        f"function {made.symbol} parameters 5 threads {threads}",
        *[f"copy host to device bytes {a.nbytes} stream 1"] * 2,
        f"launch {made.symbol} grid {shown} block {threads} shared {made.shared_bytes} "
        "stream 1 dependent 1",
        f"copy device to host bytes {a.nbytes} stream 1",
    ]


def test_what_a_launch_must_not_be_given() -> None:
    made, at = compiled(ADDITION), opened()
    function = at.driver.function(made.cubin, made.symbol, made.shared_bytes)
    threads = 32 * made.num_warps
    a, b, result = (at.memory(4 * COUNT) for _ in range(3))

    def refused(
        why: str, *pointers: int, block: int = threads, shared: int = 0
    ) -> None:
        launch = at.driver.prepare(
            function, (1, 1, 1), block, shared, [*pointers, 0, 0]
        )
        with pytest.raises(CompileError, match=why):
            launch(0)

    refused(r"invalid argument \(1\)", a, b, result, block=threads // 2)
    refused(r"invalid argument \(1\)", a, b, result, shared=(48 << 10) + 16)
    refused(r"illegal memory access was encountered \(700\)", a, b, result + 4)
    refused(r"illegal memory access was encountered \(700\)", a, b, 1 << 40)
    at.free(b)
    refused(r"illegal memory access was encountered \(700\)", a, b, result)


def test_large_blocks_ask_for_their_shared_memory() -> None:
    made, at = compiled(programs.linear(256, 2048, 256, "f16")), opened()
    assert made.shared_bytes > 48 << 10
    function = at.driver.function(made.cubin, made.symbol, made.shared_bytes)
    assert f"shared {made.symbol} {made.shared_bytes}" in at.stub.log()
    size = 2 * 2048 * 256
    pointers = [at.memory(size) for _ in made.kernel.arg_types]
    given = (made.kernel.grid, 32 * made.num_warps, made.shared_bytes)
    x, y, z = made.kernel.grid
    scratch = made.scratch_bytes * x * y * z
    extra = [at.memory(scratch) if scratch else 0, 0]
    at.driver.prepare(function, *given, [*pointers, *extra])(0)
    assert at.stub.log()[-1].startswith(f"launch {made.symbol} grid {x} {y} {z} ")


@pytest.mark.parametrize(
    ("arch", "capability", "runs"),
    [
        ("sm_80", 80, True),
        ("sm_80", 86, True),
        ("sm_86", 80, False),
        ("sm_80", 90, False),
        ("sm_90", 90, True),
        ("sm_100", 90, False),
    ],
)
def test_a_cubin_runs_on_later_minor_versions_alone(
    arch: str, capability: int, runs: bool
) -> None:
    made, at = compiled(ADDITION, arch), opened(capability)
    if runs:
        at.driver.function(made.cubin, made.symbol, made.shared_bytes)
        assert at.stub.log()[0] == f"module 0 {arch}"
        return
    with pytest.raises(CompileError, match=r"no kernel image is available .*\(209\)"):
        at.driver.function(made.cubin, made.symbol, made.shared_bytes)


def test_unknown_functions_and_foreign_files() -> None:
    made, at = compiled(ADDITION), opened()
    with pytest.raises(CompileError, match=r"named symbol not found \(500\)"):
        at.driver.function(made.cubin, "nothing", 0)
    with pytest.raises(CompileError, match=r"device kernel image is invalid \(200\)"):
        at.driver.function(b"\x7fELF" + bytes(60), made.symbol, 0)


def test_events_order_streams() -> None:
    at = opened()
    first, second = at.driver.make_stream(), at.driver.make_stream()
    event = at.driver.make_event()
    at.driver.record(event, first)
    at.driver.wait(event, second)
    assert at.stub.log() == ["record 0 stream 1", "wait 0 stream 2"]
    assert at.stub.live() == 4
    assert not at.stub.library.cuStreamDestroy_v2(ctypes.c_void_p(first))
    with pytest.raises(CompileError, match=r"invalid resource handle \(400\)"):
        at.driver.record(event, first)


class StubCard(Card):
    """A card on the stub, with memory of the stub's, and without graphs."""

    has_graphs = False

    def __init__(self, at: Opened) -> None:
        super().__init__(0, at.driver)
        self.at = at

    def allocate(self, byte_count: int) -> torch.Tensor:
        if not byte_count:
            return torch.empty(0, dtype=torch.uint8)
        address = self.at.memory(byte_count)
        return torch.frombuffer(
            (ctypes.c_uint8 * byte_count).from_address(address), dtype=torch.uint8
        )

    def staging(self, byte_count: int) -> torch.Tensor:
        return torch.empty(byte_count, dtype=torch.uint8)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> StubCard:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: (9, 0))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    monkeypatch.setattr(
        torch._C, "_cuda_getCurrentRawStream", lambda index: 0, raising=False
    )
    return StubCard(opened())


def planned(program: devproc.Program) -> list[str]:
    """The works of the GPU in a program's host plan, as the stub writes them down."""
    kernels = read_code(program.artifact.code["cuda"]).kernels
    host = program.artifact.host
    places = {"cuda": "device", "cpu": "host"}
    found: list[str] = []
    for step in host.steps:
        if step.device != "cuda" or step.kind == "sync":
            continue
        # Event 0 of the driver is the one that a call ends with.
        what = f"{step.kind} {step.event + 1}"
        if step.kind == "launch":
            grid = " ".join(map(str, kernels[step.symbol].grid))
            what = f"launch {step.symbol} grid {grid}"
        elif step.kind == "copy":
            source, target = (places[host.slots[n].device] for n in step.slots)
            what = f"copy {source} to {target} bytes {step.byte_count}"
        found.append(f"{what} stream {step.stream}")
    return found


def queued(log: Sequence[str]) -> list[str]:
    """The works in the stub's log, without the blocks and attributes of launches."""
    works = [line for line in log if re.match("launch|copy|record|wait", line)]
    return [re.sub(r" block \d+ shared \d+| dependent \d", "", line) for line in works]


def test_a_call_queues_its_plan(card: StubCard) -> None:
    """Each cubin also takes as many arguments as the host gives it, all in live memory."""
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 35, 5)
    )
    frame = torch.randn(2, 3, 7, 9)
    with on_device(card):
        program = program_of(model, frame)
        program(frame)
    expected = planned(program)
    assert sum(line.startswith("launch") for line in expected) > 1
    *works, last = queued(card.at.stub.log())
    assert works == expected
    assert last == "record 0 stream 0"
