"""Checks a bundle on this machine: its files, and its golden cases."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from devproc.bundle.golden.file import recorded_levels
from devproc.bundle.interface.description import (
    BundleDescription,
    LevelEntry,
    WeightsEntry,
    read_description,
)
from devproc.bundle.interface.library import Library, read_aligned
from devproc.errors import BundleError, counted
from devproc.targets.cpu.machine.cpu_target import CPUTarget

EMULATORS = {"aarch64-linux": ("qemu-aarch64", "aarch64-linux-gnu-gcc")}
"""Machine -> an emulator of its programs, and a C compiler for it."""


def check_bundle(folder: Path) -> Iterator[str]:
    """What was checked, line by line; raises BundleError for the first fault.

    The library runs in this process, or its self-test under an emulator.
    """
    description = read_description(folder)
    name, kernels = description.name, counted(len(description.kernels), "kernel")
    yield f"{name}.json: {kernels} for {description.machine}"
    if description.weights.where == "file":
        yield _check_weights(folder / f"{name}.weights", description.weights)
    golden = read_aligned(folder / f"{name}.golden")
    machine = {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}
    if description.machine == machine.get(platform.machine()):
        yield from _check_here(folder, description, golden)
    else:
        yield _check_emulated(folder, name, description.machine)


def _check_weights(path: Path, described: WeightsEntry) -> str:
    data = read_aligned(path)
    if data.nbytes != described.bytes:
        raise BundleError(
            f"{path} has {data.nbytes} bytes, {described.bytes} are expected: it is "
            "truncated, or that of another program"
        )
    digest = hashlib.sha256(data[64:].tobytes()).hexdigest()
    if digest != described.sha256:
        raise BundleError(f"{path} has another SHA-256 than the one in the description")
    return f"{path.name}: {data.nbytes:,} bytes with the described SHA-256"


def _check_here(
    folder: Path, description: BundleDescription, golden: NDArray[np.uint8]
) -> Iterator[str]:
    """Runs the cases by the code of each level that this CPU has.

    With none the bundle itself says what the CPU lacks.
    """
    recorded = recorded_levels(golden)
    levels = list(enumerate(description.levels))
    for number, level in [row for row in levels if _runs_here(row[1])] or levels[:1]:
        several = f" of {level.cpu}" if len(levels) > 1 else ""
        library = Library(folder, check_weights=True, cpu=level.cpu)
        try:
            report = library.selftest(golden)
            yield f"golden cases{several}: all pass, the largest distance is {report.worst:g}"
            if number in recorded:
                report = library.selftest(golden, kernels=True)
                yield f"kernels{several}: all pass, the largest distance is {report.worst:g}"
        finally:
            library.close()


def _runs_here(level: LevelEntry) -> bool:
    return CPUTarget.host().present.issuperset(level.features)


def _check_emulated(folder: Path, name: str, machine: str) -> str:
    tools = EMULATORS.get(machine)
    if tools is None:
        return f"golden cases: not run, {machine} has no emulator here"
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        return f"golden cases: not run, {' and '.join(missing)} not installed"
    emulator, compiler = tools
    with TemporaryDirectory() as made:
        program = Path(made, "selftest")
        files = [str(folder / "selftest.c"), str(folder / f"lib{name}.a")]
        build = [compiler, "-O2", "-static", *files, "-pthread", "-o", str(program)]
        for command in (build, [emulator, str(program)]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                raise BundleError(f"{command[0]}: {done.stderr.strip() or done.stdout}")
        return f"{emulator}: {done.stdout.strip()}"
