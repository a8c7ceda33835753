"""What a launch costs the host, without a GPU: the prepared launcher on a stub driver.

The stub is machine code that returns at once, called through `ctypes` like the driver, so
the figures are those of Python and `ctypes` alone. Writes a table into
`benchmarks/RESULTS.md`.

    python benchmarks/gpu_launch.py
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import llvmlite.binding as llvm

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

from results import write_section  # noqa: E402

from devproc.targets.triton.driver import Driver  # noqa: E402
from devproc.targets.triton.launch import LaunchSequence  # noqa: E402

KERNELS, ROUNDS, GOAL = 185, 200, 2.0
"""Launches of a sequence (those of BERT-base today), repetitions, microseconds."""

STUB = "define i32 @launch(ptr %c, ptr %f, ptr %p, ptr %e) { ret i32 0 }"


def stub_library() -> tuple[SimpleNamespace, object]:
    """A library with one function that does nothing, and what keeps it loaded."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(STUB), machine)
    engine.finalize_object()
    pointers = [ctypes.c_void_p] * 4
    function = ctypes.CFUNCTYPE(ctypes.c_int, *pointers)(
        engine.get_function_address("launch")
    )
    return SimpleNamespace(cuLaunchKernelEx=function), engine


def microseconds(call: Callable[[], object]) -> tuple[float, float]:
    """Median and minimum for one kernel of a sequence."""
    found: list[float] = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        found.append((time.perf_counter() - begin) / KERNELS * 1e6)
    return statistics.median(found), min(found)


def main() -> None:
    """Measures the sequence of a program."""
    library, engine = stub_library()
    driver = Driver(library)
    device = SimpleNamespace(
        has_graphs=False, is_capturing=lambda: False, stream=lambda: 1 << 40
    )
    lines = [
        "| arguments of a kernel | median us | min us | goal us |",
        "|---|---|---|---|",
    ]
    for count in (3, 6, 12):
        pointers = [1 << 30] * count + [0, 0]
        launches = [
            driver.prepare(ctypes.c_void_p(1), (9, 1, 1), 128, 0, pointers)
            for _ in range(KERNELS)
        ]
        median, least = microseconds(LaunchSequence(device, launches))  # pyright: ignore[reportArgumentType]
        lines.append(f"| {count} | {median:.2f} | {least:.2f} | {GOAL:g} |")
    write_section(
        "Launch of a GPU kernel: the host's share",
        "python benchmarks/gpu_launch.py",
        lines,
    )
    del engine


if __name__ == "__main__":
    main()
