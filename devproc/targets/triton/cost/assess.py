"""Compiles kernels in several processes and reads their machine code; needs no GPU."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from devproc.errors import CompileError
from devproc.targets.triton.aot import compile_kernel
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.machine_code import MachineCode


def machine_codes(
    kernels: Sequence[TritonKernel], arch: str, processes: int | None = None
) -> list[MachineCode | str]:
    """The machine code of each kernel, or why it has none.

    `processes`: at most so many, by default one for each core; a single one is this one.
    """
    count = min(processes or os.cpu_count() or 1, len(kernels))
    read = partial(_machine_code, arch=arch)
    if count <= 1:
        return list(map(read, kernels))
    # Forked processes would inherit the locks of PyTorch's and Triton's threads.
    with ProcessPoolExecutor(count, get_context("spawn")) as pool:
        return list(pool.map(read, kernels))


def _machine_code(kernel: TritonKernel, arch: str) -> MachineCode | str:
    try:
        return compile_kernel(kernel, arch).resources()
    except CompileError as error:
        return str(error).partition("\n")[0]
