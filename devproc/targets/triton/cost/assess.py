"""Compiles kernels in several processes and reads their machine code; needs no GPU."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from devproc.errors import CompileError
from devproc.targets.triton.aot import CompiledKernel, compile_kernel, resources_of
from devproc.targets.triton.installed import require_triton
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.machine_code import MachineCode

Code = MachineCode | str
"""The machine code of a kernel, or why it has none."""


def machine_codes(
    kernels: Sequence[TritonKernel], arch: str, processes: int | None = None
) -> list[Code]:
    """The machine code of each kernel, or why it has none.

    `processes`: at most so many, by default one for each core; a single one is this one.
    Raises CompileError without Triton.
    """
    require_triton()
    count = min(processes or os.cpu_count() or 1, len(kernels))
    if count <= 1:
        return machine_codes_here(kernels, arch)
    # Neighbours, which take about as long, go to different processes.
    parts = [kernels[start::count] for start in range(count)]
    found: list[Code] = [""] * len(kernels)
    with ThreadPoolExecutor(count) as pool:
        for start, codes in enumerate(pool.map(partial(_in_a_process, arch), parts)):
            found[start::count] = codes
    return found


def machine_codes_here(kernels: Sequence[TritonKernel], arch: str) -> list[Code]:
    """The same, compiled in this process."""
    made = [_compiled(kernel, arch) for kernel in kernels]
    found = resources_of([kernel for kernel in made if not isinstance(kernel, str)])
    codes = iter(found)
    return [each if isinstance(each, str) else next(codes) for each in made]


def _compiled(kernel: TritonKernel, arch: str) -> CompiledKernel | str:
    """A compiled kernel, or why it does not compile."""
    try:
        return compile_kernel(kernel, arch)
    except CompileError as error:
        return str(error).partition("\n")[0]


def _in_a_process(arch: str, kernels: Sequence[TritonKernel]) -> list[Code]:
    """The machine code of kernels; raises CompileError if the process fails.

    Forked processes would inherit the locks of PyTorch's and Triton's threads, and those of
    `multiprocessing` run the main module of the user's program again.
    """
    command = (sys.executable, "-m", f"{__package__}.assess_worker")
    given = pickle.dumps((list(kernels), arch))
    done = subprocess.run(command, input=given, capture_output=True)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise CompileError(f"a process that compiles kernels failed: {last}")
    return pickle.loads(done.stdout)
