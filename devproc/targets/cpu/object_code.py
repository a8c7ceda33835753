"""The object code of a module's CPU part, made in a thread: LLVM frees Python's lock."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.driver import StageRecord
from devproc.targets.cpu.cpu_target import CPUTarget
from devproc.targets.cpu.jit import compile_object
from devproc.targets.cpu.llvm_ir import print_parts

FINISHED = frozenset({"window"})
"""Families whose schedules leave nothing to do for LLVM's passes, which then take most of
the time: register tiles in straight vector code. Other kernels lose some per cent.
"""


def kernel_families(module: ModuleOp) -> dict[str, str]:
    """The family of each kernel of the CPU, by name."""
    found: dict[str, str] = {}
    for op in module.body.block.ops:
        mark = op.attributes.get("dev.kernel")
        if isinstance(op, FuncOp) and isinstance(mark, KernelAttr):
            found[op.sym_name.data] = mark.family.data
    return found


@dataclass(frozen=True)
class ObjectCode:
    """Object code in the making."""

    _code: Future[tuple[bytes, float]]
    _printing: float

    @staticmethod
    def begin(
        module: ModuleOp, families: Mapping[str, str], executor: Executor
    ) -> ObjectCode:
        """Print the `llvm` functions of a module, and give the text to a thread."""
        options = module.attributes["devproc.target"]
        assert isinstance(options, TargetAttr)
        target = CPUTarget.get(options.cpu.data)
        started = time.perf_counter()
        apart = {name for name, family in families.items() if family in FINISHED}
        finished, rest = print_parts(module, apart)

        def compile_timed() -> tuple[bytes, float]:
            started = time.perf_counter()
            code = compile_object(rest, target, finished=finished)
            return code, time.perf_counter() - started

        code = executor.submit(compile_timed)
        return ObjectCode(code, time.perf_counter() - started)

    def finish(self) -> tuple[StageRecord, bytes]:
        """Wait for the code; what it took."""
        started = time.perf_counter()
        code, seconds = self._code.result()
        waited = time.perf_counter() - started
        record = StageRecord("object", {"print": self._printing, "wait": waited})
        record.beside["compile"] = seconds
        return record, code
