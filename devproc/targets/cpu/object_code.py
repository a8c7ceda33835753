"""The object code of a program's CPU part, compiled in a thread: LLVM releases the GIL."""

from __future__ import annotations

import time
from collections.abc import Container
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr, checks_bounds
from devproc.dialects.nn.base import int_of
from devproc.ir.dtypes import format_shape
from devproc.ir.text.location import describe_location
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.dialects.bounds import InsideLanesOp, InsideOp, element_count
from devproc.targets.cpu.jit import CompileOptions, compile_object
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.violations import CheckedAccess
from devproc.timings import StageRecord


def checked_accesses(module: ModuleOp) -> tuple[CheckedAccess, ...]:
    """The accesses that the kernels check, by number; none without `check_bounds`."""
    # Other programs have none, and a walk over all ops takes time.
    if not checks_bounds(module):
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


class CodeText(NamedTuple):
    """LLVM IR with the effort that it deserves."""

    ir: str
    target: CPUTarget
    options: CompileOptions


def print_code(
    module: ModuleOp, exported: Container[str] = (), passes: bool = True
) -> CodeText | None:
    """The LLVM IR of the `llvm` functions of a module; None without any.

    Other files may call the functions in `exported`. Without `passes` LLVM only generates
    code.
    """
    if not any(isinstance(op, llvm.FuncOp) for op in module.ops):
        return None
    options = module.attributes["devproc.target"]
    assert isinstance(options, TargetAttr)
    target = CPUTarget.get(machine_of(options).processor.data)
    # Optimising the branches of checks would double the time, for no benefit.
    effort = CompileOptions(1 if options.checks_bounds else 2, passes=passes)
    return CodeText(print_module(module, exported), target, effort)


@dataclass
class ObjectCode:
    """Object code being compiled: files that may call functions of earlier files."""

    executor: Executor
    _files: list[Future[tuple[bytes, float]]] = field(
        default_factory=list[Future[tuple[bytes, float]]]
    )
    _printing: float = 0

    def add(
        self, module: ModuleOp, exported: Container[str] = (), passes: bool = True
    ) -> None:
        """Prints the `llvm` functions of a module and submits the text to the thread.

        The arguments are those of `print_code`.
        """
        started = time.perf_counter()
        text = print_code(module, exported, passes)
        if text is None:
            return

        def compile_timed() -> tuple[bytes, float]:
            started = time.perf_counter()
            code = compile_object(text.ir, text.target, text.options)
            return code, time.perf_counter() - started

        self._files.append(self.executor.submit(compile_timed))
        self._printing += time.perf_counter() - started

    def finish(self) -> tuple[StageRecord, tuple[bytes, ...]]:
        """Waits for the code; returns its times and the files."""
        started = time.perf_counter()
        files = [file.result() for file in self._files]
        waited = time.perf_counter() - started
        record = StageRecord("object", {"print": self._printing, "wait": waited})
        record.alongside["compile"] = sum(seconds for _, seconds in files)
        return record, tuple(code for code, _ in files)
