"""A printed kernel with its launch parameters, and its compilation to a Python function.

Used by launches, the interpreter and ahead-of-time compilation. The source is never
written to disk: `linecache` holds it under a synthetic file name, where Triton and Python's
tracebacks find it.
"""

from __future__ import annotations

import hashlib
import linecache
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from devproc.dialects.dev import target_of
from devproc.errors import CompileError
from devproc.ir.types import dtype_name
from devproc.targets.triton import dialect as triton_dialect
from devproc.targets.triton.dialect import PtrType
from devproc.targets.triton.dialect.options import gpu_options
from devproc.targets.triton.printer import HEADER, function_name, print_kernel

SIGNATURES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    # A bool is a byte in memory, and kernels load it as such.
    "bool": "i8",
}
"""dtype name -> Triton's name in a signature."""


@dataclass(frozen=True)
class TritonKernel:
    """One kernel: its source and everything needed to compile and launch it."""

    name: str
    source: str = field(repr=False)
    arg_types: tuple[str, ...]
    """Triton signature types in order: `*fp32` is a pointer to float32."""
    grid: tuple[int, int, int]
    num_warps: int
    num_stages: int

    @property
    def file_name(self) -> str:
        """The synthetic file name of the source; equal sources share it."""
        digest = hashlib.sha256(self.source.encode()).hexdigest()[:12]
        return f"<devproc-triton-{self.name}-{digest}>"


def signature_type(type_: Attribute) -> str:
    """The Triton signature type of a kernel argument."""
    if isinstance(type_, PtrType):
        return "*" + SIGNATURES[dtype_name(type_.pointee)]
    return SIGNATURES[dtype_name(type_)]


def kernel_of(func: triton_dialect.FuncOp) -> TritonKernel:
    """The kernel of a function."""
    return TritonKernel(
        name=func.sym_name.data,
        source=f"{HEADER}\n\n{print_kernel(func)}",
        arg_types=tuple(signature_type(t) for t in func.function_type.inputs),
        grid=func.grid_sizes,
        num_warps=func.num_warps.value.data,
        num_stages=func.num_stages.value.data,
    )


def kernels_of(module: ModuleOp) -> dict[str, TritonKernel]:
    """All kernels of a module by symbol name, as the first architecture has them."""
    return {
        op.sym_name.data: kernel_of(op)
        for op in module.ops
        if isinstance(op, triton_dialect.FuncOp) and op.arch is None
    }


def variants_of(module: ModuleOp) -> dict[str, dict[str, TritonKernel]]:
    """The kernels that each architecture has instead, by the names of those of the first;
    empty if the module is made for one architecture."""
    options = gpu_options(target_of(module))
    if not options.others.data:
        return {}
    names = (options.arch.data, *(other.data for other in options.others))
    found: dict[str, dict[str, TritonKernel]] = {name: {} for name in names}
    for op in module.ops:
        if not isinstance(op, triton_dialect.FuncOp) or op.arch is None:
            continue
        assert op.variant_of is not None
        found[op.arch.data][op.variant_of.data] = kernel_of(op)
    return found


@cache
def jit_function(kernel: TritonKernel) -> Any:
    """The kernel as a `triton.JITFunction`, neither compiled nor launched."""
    linecache.cache[kernel.file_name] = (
        len(kernel.source),
        None,
        kernel.source.splitlines(keepends=True),
        kernel.file_name,
    )
    namespace: dict[str, Any] = {"__name__": f"devproc.kernels.{kernel.name}"}
    exec(compile(kernel.source, kernel.file_name, "exec"), namespace)
    return namespace[function_name(kernel.name)]


def python_function(kernel: TritonKernel) -> Callable[..., None]:
    """The undecorated Python function of the kernel."""
    return jit_function(kernel).fn


def check_arguments(kernel: TritonKernel, arguments: Sequence[Any]) -> None:
    """Checks the number of arguments."""
    if len(arguments) != len(kernel.arg_types):
        raise CompileError(
            f"kernel '{kernel.name}' takes {len(kernel.arg_types)} arguments,"
            f" got {len(arguments)}"
        )


def written_arguments(kernel: TritonKernel) -> frozenset[int]:
    """The positions of the arguments that a kernel writes to, read off its source."""
    names = list(signature(python_function(kernel)).parameters)
    written = re.findall(r"tl\.(?:store|atomic_\w+)\(\s*(\w+)", kernel.source)
    return frozenset(names.index(name) for name in written if name in names)


def as_signed(tensor: Any) -> Any:
    """The tensor that kernels read: bools and unsigned integers viewed as signed ones."""
    import torch

    if tensor.dtype in (torch.bool, torch.uint8):
        return tensor.view(torch.int8)
    return tensor.view(torch.int16) if tensor.dtype == torch.uint16 else tensor
