"""What launches and calls cost the host, without a GPU: a card on a stub driver.

The stub is machine code that returns at once, called through `ctypes` like the driver, so
the figures are those of Python and `ctypes` alone. A call is one of a small model in its
graph; PyTorch's part (its current stream and device, the replay) is left out. Writes a table
into `benchmarks/RESULTS.md`.

    python benchmarks/gpu_launch.py
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

from results import write_section  # noqa: E402

import devproc  # noqa: E402
from devproc.backend import Queued  # noqa: E402
from devproc.backend.installed import backend  # noqa: E402
from devproc.targets.triton.card import Card  # noqa: E402
from devproc.targets.triton.code import Compiled  # noqa: E402
from devproc.targets.triton.device import Launch, Stream  # noqa: E402
from devproc.targets.triton.driver import Driver  # noqa: E402
from devproc.targets.triton.kernel import TritonKernel  # noqa: E402
from devproc.targets.triton.launch import LaunchSequence  # noqa: E402

KERNELS, ROUNDS, GOAL = 185, 200, 2.0
"""Launches of a sequence (those of BERT-base today), repetitions, microseconds."""

CALLS, CALL_GOAL = 20, 30.0
"""Calls of a round, microseconds."""

STUB = "define i32 @stub() { ret i32 0 }"

DRIVER = (
    *("cuLaunchKernelEx", "cuEventCreate", "cuEventRecord", "cuEventSynchronize"),
    *("cuStreamCreate", "cuStreamSynchronize", "cuStreamWaitEvent", "cuMemcpyAsync"),
)


class StubCard(Card):
    """A card over the stub, whose memory is the host's."""

    arch = ""

    def __init__(self, driver: Driver, has_graphs: bool):
        self.has_graphs = has_graphs
        self._driver = driver
        self._device = torch.device("cpu")
        self.staging = self.allocate

    def session(self) -> AbstractContextManager[Any]:
        """PyTorch's part is left out."""
        return nullcontext()

    def load(self, kernel: TritonKernel, compiled: Compiled | None) -> Any:
        """No machine code."""
        return kernel

    def prepare(self, function: Any, arguments: Any) -> Launch:
        """A launch of the stub."""
        pointers = [argument.data_ptr() for argument in arguments]
        return self._driver.prepare(ctypes.c_void_p(1), (9, 1, 1), 128, 0, pointers)

    def stream(self) -> Stream:
        """Any number."""
        return 1 << 40

    def is_capturing(self) -> bool:
        """Never."""
        return False

    def capture(self, queue: Callable[[Stream], None]) -> Callable[[], None]:
        """A replay is one call of the driver."""
        return partial(self._driver.record, ctypes.c_void_p(1), 1 << 40)


def stub_library() -> tuple[SimpleNamespace, object]:
    """A driver whose functions do nothing, and what keeps it loaded."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(STUB), machine)
    engine.finalize_object()
    address = engine.get_function_address("stub")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(address)
    return SimpleNamespace(**dict.fromkeys(DRIVER, function)), engine


def microseconds(call: Callable[[], object], count: int) -> tuple[float, float]:
    """Median and minimum for one of so many that a call does."""
    found: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        found.append((time.perf_counter() - begin) / count * 1e6)
    return statistics.median(found), min(found)


def launch_lines(driver: Driver) -> list[str]:
    """The sequence of a program, launched one by one."""
    card = StubCard(driver, has_graphs=False)
    lines = [
        "| arguments of a kernel | median us | min us | goal us |",
        "|---|---|---|---|",
    ]
    for count in (3, 6, 12):
        pointers = [1 << 30] * count + [0, 0]
        launch = (ctypes.c_void_p(1), (9, 1, 1), 128, 0, pointers)
        kernels: Any = SimpleNamespace(
            device=card,
            prepare=lambda *_, launch=launch: driver.prepare(*launch),
            streams=lambda count: [],
        )
        sequence = LaunchSequence(kernels, [Queued("launch")] * KERNELS)
        median, least = microseconds(sequence, KERNELS)
        lines.append(f"| {count} | {median:.2f} | {least:.2f} | {GOAL:g} |")
    return lines


def call_lines(driver: Driver) -> list[str]:
    """A call of two linear layers with one input and one output of 4x64 numbers."""
    cuda = backend("cuda")
    setattr(cuda, "open_device", lambda option: StubCard(driver, has_graphs=True))
    setattr(cuda, "missing", lambda option="": None)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)).eval()
    x = torch.randn(4, 64)
    program = devproc.compile(torch.export.export(model, (x,)), "cuda", threads=1)
    lines = ["| a call with | median us | min us | goal us |", "|---|---|---|---|"]
    for name, given in (("NumPy arrays", x.numpy()), ("torch tensors", x)):

        def calls(given: Any = given) -> None:
            for _ in range(CALLS):
                program(given)

        median, least = microseconds(calls, CALLS)
        lines.append(f"| {name} | {median:.1f} | {least:.1f} | {CALL_GOAL:g} |")
    return lines


def main() -> None:
    """Measures launches and calls."""
    library, engine = stub_library()
    driver = Driver(library)
    write_section(
        "Launch of a GPU kernel: the host's share",
        "python benchmarks/gpu_launch.py",
        [*launch_lines(driver), "", *call_lines(driver)],
    )
    del engine


if __name__ == "__main__":
    main()
