"""Bundles of programs for a GPU, on a substitute for NVIDIA's driver.

The substitute checks what the library calls; Triton's interpreter runs the kernels on its
memory, so that the golden cases are compared end to end.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from ctypes.util import find_library
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.bundle.export import export_bundle
from devproc.bundle.interface.description import read_description
from devproc.bundle.interface.library import Array, Library, read_aligned
from devproc.errors import BundleError
from devproc.program import Program
from devproc.runtime.calls.tensors import TORCH_DTYPES
from devproc.targets.triton import GPU
from devproc.targets.triton.code import read_code
from devproc.targets.triton.interpreter import Interpreter
from tests.bundle.programs import Convolution, Memory, compile_c, new_folder, run
from tests.bundle.test_c_interface import ADDRESS
from tests.triton.stub_cuda import StubCuda, stub_folder


class Recurrent(nn.Module):
    """Its steps are a loop of the host."""

    def __init__(self) -> None:
        super().__init__()
        self.r = nn.GRU(5, 6, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.r(x)[0]


class Half(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.f = nn.Linear(33, 17, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.f(x), -1)


class Mixed(nn.Module):
    """The softmax is placed on the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(7, 9)
        self.b = nn.Linear(9, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.softmax(self.a(x), -1)
        return self.b(y), y


CASES: dict[str, tuple[type[nn.Module], tuple[int, ...], torch.dtype]] = {
    "convolution": (Convolution, (2, 3, 13, 9), torch.float32),
    "memory": (Memory, (3, 7), torch.float32),
    "recurrent": (Recurrent, (2, 3, 5), torch.float32),
    "half": (Half, (3, 33), torch.bfloat16),
    "mixed": (Mixed, (5, 7), torch.float32),
}
"""Name -> a model, and the shape and dtype of its input."""

PLACED = {
    "mixed": {
        "target": "cpu+cuda",
        "placement": {"nn.softmax": "cpu", "nn.linear": "cuda"},
    }
}
"""Name -> options of a program that is not on the GPU alone."""


@cache
def source(name: str) -> Any:
    torch.manual_seed(3)
    model, shape, dtype = CASES[name]
    return torch.export.export(model().eval(), (torch.randn(shape).to(dtype),))


@cache
def program(name: str, **options: Any) -> Program:
    given = {"target": "cuda", "arch": "sm_90", **PLACED.get(name, {}), **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # There is no GPU here.
        return devproc.compile(source(name), **given)


@cache
def bundle(name: str, arch: str = "sm_90") -> Path:
    folder = new_folder()
    program(name, arch=arch).export_bundle(folder, name=name, reference=source(name))
    return folder


def interpret(stub: StubCuda, made: Program, arch: str = "sm_90") -> None:
    """Runs the kernels of a program by Triton's interpreter where the driver would."""
    code, host = read_code(made.artifact.code[GPU]), made.artifact.host
    device, kernels = Interpreter(), code.kernels_for(arch)
    todo = list(host.steps)
    while todo:
        step = todo.pop()
        todo += step.body
        if step.kind != "launch" or step.device != GPU:
            continue
        slots = [host.slots[number] for number in step.slots]

        def run(
            addresses: Sequence[int],
            kernel: Any = kernels[step.symbol],
            slots: Any = slots,
        ) -> None:
            tensors = [
                _tensor_at(address, slot)
                for address, slot in zip(addresses, slots, strict=False)
            ]
            with device.session():
                device.prepare(device.load(kernel, None), tensors)(0)

        stub.replace(step.symbol, run)


def close(found: Array, wanted: Array) -> None:
    torch.testing.assert_close(torch.from_numpy(found), torch.from_numpy(wanted))


def _tensor_at(address: int, slot: Any) -> torch.Tensor:
    memory = (ctypes.c_uint8 * slot.byte_count).from_address(address)
    numbers = torch.frombuffer(memory, dtype=TORCH_DTYPES[slot.dtype])
    return numbers.view(slot.shape)


@pytest.mark.parametrize("name", CASES)
def test_golden_cases(name: str) -> None:
    stub, folder = StubCuda(90), bundle(name)
    interpret(stub, program(name))
    library = Library(folder)
    report = library.selftest(read_aligned(folder / f"{name}.golden"))
    assert report.worst < 0.1
    library.close()
    assert stub.live() == 0


def test_a_part_on_the_cpu() -> None:
    devices = {step.device for step in program("mixed").artifact.host.steps}
    assert devices == {"cpu", GPU}
    kinds = {(k.name, k.bytes) for k in Library(bundle("mixed")).description.kernels}
    assert any("softmax" in name for name, _ in kinds)


def test_states_lie_on_the_gpu() -> None:
    """They are reset, read and written there."""
    stub, folder = StubCuda(90), bundle("memory")
    interpret(stub, program("memory"))
    library, model = Library(folder), Memory().eval()
    model.load_state_dict(source("memory").state_dict)
    random = np.random.default_rng(4)
    for _ in range(3):
        x = random.standard_normal((3, 7)).astype(np.float32)
        expected = [t.numpy() for t in model(torch.from_numpy(x))]
        for found, wanted in zip(library.run([x]), expected, strict=True):
            close(found, wanted)
    states = [state.name for state in library.description.states]
    ring = library.get_state(states.index("ring"))
    close(ring, model.ring.numpy())
    library.set_state(states.index("ring"), np.zeros_like(ring))
    assert not library.get_state(states.index("ring")).any()
    library.reset()
    np.testing.assert_array_equal(
        library.get_state(states.index("ring")), source("memory").state_dict["ring"]
    )
    library.close()


def test_a_run_queues_the_plan() -> None:
    """In its order, on its streams; it allocates nothing."""
    stub, folder = StubCuda(90), bundle("convolution")
    library, host = Library(folder), program("convolution").artifact.host
    created = len(stub.log())
    library.run([np.zeros((2, 3, 13, 9), np.float32)])
    slots = host.slots
    expected: list[str] = []
    for step in host.steps:
        if step.device != GPU or step.kind == "sync":
            continue
        sides = ["host" if slots[n].kind == "staging" else "device" for n in step.slots]
        expected.append(
            {
                "launch": f"launch {step.symbol} stream {step.stream + 1}",
                "copy": f"copy {' to '.join(sides)} bytes {step.byte_count} "
                f"stream {step.stream + 1}",
                "record": f"record {step.event} stream {step.stream + 1}",
                "wait": f"wait {step.event} stream {step.stream + 1}",
            }[step.kind]
        )
    found = [
        " ".join(words[:2] + words[words.index("stream") :][:2])
        if (words := line.split())[0] == "launch"
        else line
        for line in stub.log()[created:]
    ]
    assert found == expected
    assert any(step.kind == "launch" for step in host.steps)
    library.close()


@pytest.mark.parametrize(
    ("card", "chosen"), [(80, "sm_80"), (86, "sm_86"), (89, "sm_86"), (90, "sm_90")]
)
def test_the_latest_code_that_the_card_runs(card: int, chosen: str) -> None:
    stub = StubCuda(card)
    library = Library(bundle("half", "sm_80,sm_86,sm_90"))
    modules = {line.split()[2] for line in stub.log() if line.startswith("module")}
    assert modules == {chosen}
    library.close()


def test_reasons_why_there_is_no_gpu() -> None:
    stub, folder = StubCuda(75), bundle("half", "sm_80,sm_86,sm_90")
    with pytest.raises(BundleError) as error:
        Library(folder)
    assert (
        "the GPU is sm_75, and the bundle has code for sm_80, sm_86, sm_90 alone"
        in str(error.value)
    )
    stub = StubCuda(90, devices=0)
    with pytest.raises(BundleError, match="cuInit failed: no CUDA-capable device"):
        Library(folder)
    stub = StubCuda(90)
    stub.library.stub_limit(1000)
    with pytest.raises(BundleError, match="cuMemAlloc_v2 failed: out of memory"):
        Library(folder)
    assert (stub.live(), stub.library.stub_depth()) == (0, 0)


def test_a_failure_of_the_gpu_is_an_error() -> None:
    """The states have the values of before, and the next call begins there."""
    stub, folder = StubCuda(90), bundle("memory")
    interpret(stub, program("memory"))
    library = Library(folder)
    x = np.ones((3, 7), np.float32)
    (before, *_) = library.run([x])
    library.reset()
    stub.library.stub_fail(1)
    with pytest.raises(BundleError, match="Async failed: an illegal memory access"):
        library.run([x])
    with pytest.raises(BundleError, match="failed: an illegal memory access"):
        library.selftest(read_aligned(folder / "memory.golden"))
    stub.library.stub_fail(0)
    library.reset()
    np.testing.assert_array_equal(library.run([x])[0], before)
    assert stub.library.stub_depth() == 0
    library.close()
    assert stub.live() == 0


def test_instances_leave_nothing_behind() -> None:
    stub, folder = StubCuda(90), bundle("half")
    for _ in range(200):
        library = Library(folder)
        library.run([np.zeros((3, 33), np.uint16)])
        library.close()
        assert stub.live() == 0


def test_two_bundles_in_one_process() -> None:
    stub = StubCuda(90)
    names = ("half", "memory")
    for name in names:
        interpret(stub, program(name))
    libraries = [Library(bundle(name)) for name in names]
    for name, library in zip(names, libraries, strict=True):
        library.selftest(read_aligned(bundle(name) / f"{name}.golden"))
    for library in libraries:
        library.close()
    assert stub.live() == 0


def calls(*flags: str) -> tuple[Path, Path]:
    """A C program that calls the bundle `memory`."""
    folder = new_folder()
    shutil.copytree(bundle("memory"), folder, dirs_exist_ok=True, symlinks=True)
    sources = [Path(__file__).parent / "c" / "gpu_calls.c", "libmemory.a"]
    return compile_c(folder, sources, "-std=c11", "-g", *flags, "-ldl"), folder


def test_calls_under_the_address_sanitizer() -> None:
    test, folder = calls(*ADDRESS)
    environment = f"LD_LIBRARY_PATH={stub_folder()}"
    assert run(["env", environment, test], folder) == "0 bad\n"


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_nothing_is_left_in_memory() -> None:
    test, folder = calls()
    options = ("-q", "--leak-check=full", "--errors-for-leak-kinds=definite")
    environment = f"LD_LIBRARY_PATH={stub_folder()}"
    command = ["env", environment, "valgrind", *options, "--error-exitcode=9", test]
    assert run(command, folder).endswith("0 bad\n")


class Adder(nn.Module):
    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(3, 7))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(x)
        return self.total * 2


def test_entries_share_a_state_of_the_gpu() -> None:
    """One of them updates it in place, the other does not."""
    sources = {
        "keep": source("memory"),
        "add": torch.export.export(Adder().eval(), (torch.randn(3, 7),)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entries = devproc.compile(sources, target="cuda", arch="sm_80")
    folder = new_folder()
    export_bundle(entries, folder, name="both", reference=sources)
    stub = StubCuda(80)
    for made in entries.values():
        interpret(stub, made, "sm_80")
    library = Library(folder)
    random = np.random.default_rng(5)
    x, y = (random.standard_normal((3, 7)).astype(np.float32) for _ in range(2))
    library.run([x], entry="keep")
    (found,) = library.run([y], entry="add")
    close(found, 2 * (0.5 + x + y))
    library.selftest(read_aligned(folder / "both.golden"))
    library.close()


def test_what_is_refused(tmp_path: Path) -> None:
    def refusal(made: Program, **options: Any) -> str:
        with pytest.raises(BundleError) as error:
            made.export_bundle(tmp_path, reference=source("half"), **options)
        return str(error.value)

    assert "cannot interpret the kernels" in refusal(
        program("half", target="cuda:interpret")
    )
    assert "on Linux, by x86_64 or aarch64, not on x86_64-windows" in refusal(
        program("half"), os="windows"
    )
    with pytest.raises(BundleError, match=r"golden cases need results.*reference="):
        program("half").export_bundle(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_bundle_for_another_processor(tmp_path: Path) -> None:
    """The host of a Jetson, whose library cannot run here."""
    made = program("half", cpu="aarch64", arch="sm_87")
    written = made.export_bundle(tmp_path, name="half", reference=source("half"))
    assert (written.machine, written.imports[:2]) == (
        "aarch64-linux",
        ("dlopen", "dlsym"),
    )
    described = read_description(tmp_path)
    assert described.gpu is not None
    assert described.gpu.archs == ("sm_87",)
    assert (tmp_path / "libhalf.so.1").stat().st_size > described.gpu.code_bytes > 1000


WITHOUT_A_DRIVER = """
import sys
from pathlib import Path
from devproc.bundle.interface.library import Library
Library(Path(sys.argv[1]))
"""


@pytest.mark.skipif(find_library("cuda") is not None, reason="has NVIDIA's driver")
def test_without_a_driver() -> None:
    """In a process of its own, which has not loaded the substitute."""
    command = [sys.executable, "-c", WITHOUT_A_DRIVER, str(bundle("half"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr.strip().endswith(
        "half_create: the GPU cannot be used, or has failed: there is no libcuda.so.1: "
        "install NVIDIA's driver, or export for a CPU"
    )
