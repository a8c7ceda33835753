"""Makes the object code of a program's CPU part while its kernels are lowered."""

from __future__ import annotations

from collections.abc import Container, Mapping
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from devproc.backend.builder import CodeBuilder
from devproc.dialects.dev import TargetAttr, is_for_host_alone
from devproc.dialects.plan import LaunchOp
from devproc.ir.functions import ops_of
from devproc.ir.program.kernel_modules import KernelModule
from devproc.targets.cpu.code import CPUCode
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.cpu_target import required_cpu
from devproc.targets.cpu.native_code import uses_thread_pool
from devproc.targets.cpu.object_code import (
    CodeText,
    ObjectCode,
    checked_accesses,
    print_code,
)
from devproc.targets.cpu.straight_code import StraightKernels
from devproc.targets.cpu.thread_pool import thread_pool_object
from devproc.targets.cpu.violations import CheckedAccess
from devproc.timings import StageRecord

if TYPE_CHECKING:
    from devproc.backend.backend import Backend
    from devproc.backend.builder import Observer


class KernelCodeBuilder(CodeBuilder):
    """Code of each kernel as soon as it is lowered, then of the segments."""

    takes_all = True

    def __init__(self, backend: Backend):
        super().__init__(backend)
        self._straight = StraightKernels()

    @property
    def observers(self) -> Mapping[str, Observer]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Notes what the lowered code does not show any more."""
        return self._straight.before

    def add_kernel(self, kernel: KernelModule) -> None:
        """Begins with the code of a kernel."""
        passes = kernel.name not in self._straight.names
        self.add_code(kernel.module, {kernel.name}, passes)

    def add(self, module: ModuleOp) -> None:
        """Begins with the code of the segments."""
        self.add_code(module)

    def add_code(
        self, module: ModuleOp, exported: Container[str] = (), passes: bool = True
    ) -> None:
        """The arguments are those of `print_code`."""
        raise NotImplementedError


class ObjectCodeBuilder(KernelCodeBuilder):
    """Object code."""

    def __init__(self, backend: Backend, module: ModuleOp, executor: Executor):
        super().__init__(backend)
        target = module.attributes["devproc.target"]
        assert isinstance(target, TargetAttr)
        self._target = target
        self._objects = ObjectCode(executor)
        self._accesses: tuple[CheckedAccess, ...] = ()
        self._pool: Future[bytes] | None = None
        # LLVM has nothing else to do yet.
        if target.threads.data > 1 and is_for_host_alone(module):
            name = required_cpu(machine_of(target).processor.data).name
            self._pool = executor.submit(thread_pool_object, name)

    @property
    def observers(self) -> Mapping[str, Observer]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Notes the accesses too."""
        return {**super().observers, "convert-to-llvm": self._note_accesses}

    def _note_accesses(self, module: ModuleOp) -> None:
        self._accesses += checked_accesses(module)

    def add_code(
        self, module: ModuleOp, exported: Container[str] = (), passes: bool = True
    ) -> None:
        """Begins with the object code of a module."""
        self._objects.add(module, exported, passes)

    def finish(self) -> tuple[bytes | None, StageRecord | None]:
        """Waits for LLVM."""
        record, objects = self._objects.finish()
        if not objects:
            return None, None
        cpu, pool = required_cpu(machine_of(self._target).processor.data), None
        if uses_thread_pool(objects):
            pool = self._pool.result() if self._pool else thread_pool_object(cpu.name)
        threads = self._target.threads.data
        code = CPUCode(cpu, threads, objects, pool, self._accesses)
        return code.to_bytes(), record


class CodeTextBuilder(KernelCodeBuilder):
    """LLVM IR, for those who link it themselves."""

    def __init__(self, backend: Backend):
        super().__init__(backend)
        self.texts: list[CodeText] = []
        self.read_operands: dict[str, int] = {}
        """Segment -> the number of its operands that are read; those after it are written."""

    def add_code(
        self, module: ModuleOp, exported: Container[str] = (), passes: bool = True
    ) -> None:
        """Keeps the text of a module."""
        text = print_code(module, exported, passes)
        if text is not None:
            self.texts.append(text)

    def add(self, module: ModuleOp) -> None:
        """Keeps the text of the segments, and what their launches read."""
        super().add(module)
        for op in ops_of(module, "main"):
            if isinstance(op, LaunchOp):
                name = op.kernel.root_reference.data
                self.read_operands[name] = len(op.inputs)
