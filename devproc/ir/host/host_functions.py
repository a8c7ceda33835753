"""Functions that PyTorch runs on the host: they work on tensors through all stages.

`outline-host-regions` creates them. Like `@prepare` they hold `nn` ops and host calls that
no pass lowers; only their launches in `@main` become launches on memory.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from devproc.dialects.dev import KernelAttr
from devproc.ir.functions import functions_of

HOST = "host"
"""The device of such a function, and its kernel family."""


def is_host_function(op: Operation) -> bool:
    """Whether an op of a module is a function that PyTorch runs."""
    mark = op.attributes.get("dev.kernel")
    return isinstance(mark, KernelAttr) and mark.device.data == HOST


def host_functions(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of a module that PyTorch runs, by name."""
    return {f.sym_name.data: f for f in functions_of(module) if is_host_function(f)}
