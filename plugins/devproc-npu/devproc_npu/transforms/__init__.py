"""The passes of the NPU: from `nn` ops to ops of the machine with schedules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import KernelAttr
from devproc.ir.program.region_functions import region_functions


def functions_of_npu(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions of the device in a module."""
    for function in region_functions(module).values():
        if cast(KernelAttr, function.attributes["dev.kernel"]).device.data == "npu":
            yield function
