"""The kernels that LLVM compiles without its optimisation passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from devproc.algorithms import algorithm
from devproc.dialects.sched import NestOp
from devproc.ir.program.kernel_modules import host_kernels, kernel_mark


@dataclass
class StraightKernels:
    """The names of the kernels with straight-line vector code, by the schedules of
    nests.

    Without LLVM's passes models lose at most 2 % of their speed; with them, these
    kernels would take most of the compile time. Other kernels, such as matrix products
    of nine rows, would lose 5 %.
    """

    names: set[str] = field(default_factory=set[str])

    @property
    def before(self) -> Mapping[str, Callable[[ModuleOp], None]]:
        """What a `StageRun` calls with a module before the schedules are carried out."""
        return {"tile-nests": self.note}

    def note(self, module: ModuleOp) -> None:
        """Record the names of such kernels in a module at stage `schedules`."""
        for kernel in host_kernels(module):
            mark = kernel_mark(kernel)
            assert mark is not None
            nests = [op for op in kernel.body.block.ops if isinstance(op, NestOp)]
            takers = [algorithm(nest.schedule.algorithm) for nest in nests]
            if any(mark.family.data in taker.straight_code for taker in takers):
                self.names.add(kernel.sym_name.data)
