# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false
# pyright: reportMissingTypeStubs=false
"""Runs printed kernels in Triton's interpreter, without a GPU.

The source and the grid are those of a GPU. Programs that take one path run together, as
many as NumPy's temporaries stay in cache for: the interpreter's cost is per operation.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from devproc.ir.concurrency.locks import ForkSafeLock, OneCallAtATime
from devproc.targets.triton.interpretation import library
from devproc.targets.triton.interpretation.memory import KernelMemory
from devproc.targets.triton.interpretation.paths import path_axes
from devproc.targets.triton.interpretation.values import Running
from devproc.targets.triton.kernel import (
    TritonKernel,
    as_signed,
    check_arguments,
    jit_function,
)
from devproc.targets.triton.printer import function_name

LARGEST = 1 << 17
"""Elements of an operation for which NumPy's temporaries stay in cache."""

FIRST_PROGRAMS = 16
"""Programs that run together before the size of a kernel's blocks is known."""


def _forget_run() -> None:
    library.BUILDER.running = None
    library.restore()


_lock = ForkSafeLock(_forget_run)
"""The interpreter is one global builder plus patches of Triton's modules."""


@contextmanager
def interpreting() -> Generator[None]:
    """A context in which Triton's library is interpreted; holds a lock; may be nested."""
    with _lock.held:
        if library.is_interpreted():
            yield
            return
        try:
            library.interpret()
            # NaN, infinities and integer overflow are regular data.
            with np.errstate(all="ignore"):
                yield
        finally:
            library.restore()


@contextmanager
def compiling() -> Generator[None]:
    """A context in which no thread interprets: Triton's library is that of the compiler."""
    with _lock.held:
        yield


def launch(kernel: TritonKernel, *tensors: Any) -> None:
    """Runs the kernel on CPU tensors, in place.

    Raises BoundsError for an access outside of them, BusyError in a signal handler that
    interrupts another kernel.
    """
    check_arguments(kernel, tensors)
    arguments = [as_signed(t) for t in tensors]
    with interpreting():
        _launches.run(_launch, kernel, arguments)


_launches = OneCallAtATime("Triton's interpreter, of which a process has one,")


def _launch(kernel: TritonKernel, arguments: Sequence[Any]) -> None:
    function = _interpreted(kernel)
    pointers = [interpreter._implicit_cvt(argument) for argument in arguments]
    memory = KernelMemory.of(kernel.name, arguments)
    running = Running(memory, kernel.grid, ids_of(kernel.grid, np.arange(0)))
    library.BUILDER.running = running
    together = FIRST_PROGRAMS
    try:
        for group in groups_of(kernel.grid, function.path_axes):
            position = 0
            while position < len(group):
                part = group[position : position + together]
                running.ids, memory.programs = ids_of(kernel.grid, part), len(part)
                function.call(*pointers)
                position += together
                together = max(LARGEST // running.largest, 1)
    finally:
        library.BUILDER.running = None


def groups_of(grid: Sequence[int], axes: Collection[int]) -> Sequence[Any]:
    """The numbers of the programs, in groups of equal positions along some axes."""
    numbers, shape = np.arange(prod(grid)), list(grid)
    ids = ids_of(grid, numbers)
    keys = np.zeros(len(numbers), np.int64)
    for axis in axes:
        keys = keys * shape[axis] + ids[axis]
    order = np.argsort(keys, kind="stable")
    return np.split(numbers[order], np.flatnonzero(np.diff(keys[order])) + 1)


def ids_of(grid: Sequence[int], numbers: Any) -> tuple[Any, Any, Any]:
    """The positions of programs along x, y and z; z varies fastest."""
    _, columns, layers = grid
    ids = (numbers // (columns * layers), numbers // layers % columns, numbers % layers)
    x, y, z = (axis.astype(np.int32) for axis in ids)
    return x, y, z


@dataclass(frozen=True)
class Interpreted:
    """A kernel as a Python function."""

    call: Callable[..., None]
    path_axes: frozenset[int]
    """The axes of the grid on which loops and branches depend: other programs may run
    together."""


@cache
def _interpreted(kernel: TritonKernel) -> Interpreted:
    """The kernel with all assigned values converted to Triton's."""
    # Python's tracebacks find the source through this.
    jit_function(kernel)
    module = ast.parse(kernel.source)
    axes = path_axes(module)
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        node.decorator_list = []
    tree = ast.Module([library.Rewriter().visit(f) for f in functions], [])
    ast.fix_missing_locations(tree)
    namespace: dict[str, Any] = {**vars(interpreter), "tl": tl, **vars(builtins)}
    exec(compile(tree, kernel.file_name, "exec"), namespace)
    return Interpreted(namespace[function_name(kernel.name)], axes)
