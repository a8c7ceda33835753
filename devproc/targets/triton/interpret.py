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
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from devproc.ir.concurrency.locks import ForkSafeLock, OneCallAtATime
from devproc.targets.triton import interpreted_library as library
from devproc.targets.triton.interpreted_memory import KernelMemory
from devproc.targets.triton.interpreted_values import Running
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
    count, position = prod(kernel.grid), 0
    memory = KernelMemory.of(kernel.name, arguments)
    running = Running(memory, kernel.grid, ids_of(kernel.grid, 0, 0))
    library.BUILDER.running = running
    together = FIRST_PROGRAMS if function.takes_one_path else 1
    try:
        while position < count:
            running.ids = ids_of(kernel.grid, position, min(position + together, count))
            function.call(*pointers)
            position += together
            if function.takes_one_path:
                together = max(LARGEST // running.largest, 1)
    finally:
        library.BUILDER.running = None


def ids_of(grid: Sequence[int], first: int, end: int) -> tuple[Any, Any, Any]:
    """The positions of programs along x, y and z; z varies fastest."""
    numbers = np.arange(first, end, dtype=np.int64)
    _, columns, layers = grid
    ids = (numbers // (columns * layers), numbers // layers % columns, numbers % layers)
    x, y, z = (axis.astype(np.int32) for axis in ids)
    return x, y, z


@dataclass(frozen=True)
class Interpreted:
    """A kernel as a Python function."""

    call: Callable[..., None]
    takes_one_path: bool
    """Whether all programs execute the same statements."""


@cache
def _interpreted(kernel: TritonKernel) -> Interpreted:
    """The kernel with all assigned values converted to Triton's."""
    # Python's tracebacks find the source through this.
    jit_function(kernel)
    module = ast.parse(kernel.source)
    one_path = all(map(is_on_one_path, ast.walk(module)))
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        node.decorator_list = []
    tree = ast.Module([library.Rewriter().visit(f) for f in functions], [])
    ast.fix_missing_locations(tree)
    namespace: dict[str, Any] = {**vars(interpreter), "tl": tl, **vars(builtins)}
    exec(compile(tree, kernel.file_name, "exec"), namespace)
    return Interpreted(namespace[function_name(kernel.name)], one_path)


def is_on_one_path(node: ast.AST) -> bool:
    """Whether a statement does not branch on what may differ between programs."""
    if isinstance(node, ast.For):
        return all(isinstance(n, ast.Constant) for n in _arguments(node.iter))
    return not isinstance(node, ast.If | ast.While | ast.IfExp)


def _arguments(call: ast.expr) -> Iterator[ast.expr]:
    assert isinstance(call, ast.Call)
    yield from call.args
