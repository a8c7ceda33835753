"""The passes of the NPU: from `nn` ops to ops of the machine with schedules."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import KernelAttr

DEVICE = "npu"


def functions_of_npu(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions of the device in a module."""
    for op in module.ops:
        kernel = op.attributes.get("dev.kernel")
        if isinstance(kernel, KernelAttr) and kernel.device.data == DEVICE:
            assert isinstance(op, FuncOp)
            yield op
