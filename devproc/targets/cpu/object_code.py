"""The object code of a module's CPU part, made in a thread: LLVM frees Python's lock."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from devproc.dialects.bounds import InsideLanesOp, InsideOp, element_count
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.nn.base import int_of
from devproc.ir.dtypes import format_shape
from devproc.ir.location import describe_location
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.cpu_target import CPUTarget
from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.llvm_ir import print_parts
from devproc.targets.cpu.violations import CheckedAccess
from devproc.timings import StageRecord

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


def checked_accesses(module: ModuleOp) -> tuple[CheckedAccess, ...]:
    """The accesses that the kernels check, by number; none without `check_bounds`."""
    target = module.attributes.get("devproc.target")
    # Other programs have none: no walk over all their ops in each compilation.
    if not isinstance(target, TargetAttr) or not target.checks_bounds:
        return ()
    found: list[tuple[int, CheckedAccess]] = []
    for function in module.body.block.ops:
        if not isinstance(function, FuncOp):
            continue
        for op in function.walk():
            if not isinstance(op, InsideOp | InsideLanesOp):
                continue
            access = CheckedAccess(
                function.sym_name.data,
                op.op.data,
                op.lane_count,
                _memory_of(op.memref),
                element_count(op.memref),
                describe_location(op.location),
            )
            found.append((int_of(op.access), access))
    return tuple(access for _, access in sorted(found, key=lambda row: row[0]))


def _memory_of(memref: SSAValue) -> str:
    type_ = cast(AnyMemRef, memref.type)
    return f"{type_.element_type} {format_shape(type_.get_shape())}"


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
        # All the branches of checks would take LLVM twice as long, for no use.
        effort = CompileOptions(level=1 if options.checks_bounds else 2)
        apart = {name for name, family in families.items() if family in FINISHED}
        finished, rest = print_parts(module, apart)

        def compile_timed() -> tuple[bytes, float]:
            started = time.perf_counter()
            code = compile_object(rest, target, effort, finished=finished)
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
