"""The result of a compilation: code, host program and interface, and the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devproc.ir.cpus import RequiredCPU
from devproc.runtime.bundles.summary import summarize
from devproc.runtime.calls.calling import Calling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_program import HostProgram
from devproc.targets.cpu.machine import machine_has

if TYPE_CHECKING:
    from devproc.exactness.bound import StepBound
    from devproc.ir.value_check import ValueCheck
    from devproc.ir.weights.table import WeightTable
    from devproc.targets.cpu.violations import CheckedAccess
    from devproc.targets.triton.kernel import TritonKernel
    from devproc.timings import StageRecord


@dataclass(frozen=True, repr=False)
class Artifact:
    """Everything that a compilation produces except the weights.

    `program_text` is the module of the first stage; any other stage follows from it.
    `devices` is the user's target, such as "cpu" or "cpu+cuda:interpret". `cpu` is what
    `object_code` requires; code for another machine can be saved, but not run.
    """

    devices: str
    threads: int
    cpu: RequiredCPU
    program_text: str
    interface: Interface
    calling: Calling
    host: HostProgram
    object_code: tuple[bytes, ...] | None
    kernels: Mapping[str, TritonKernel]
    prepare_text: str | None = None
    host_text: str | None = None
    """The functions that PyTorch runs, in a program with a fallback."""
    pool_code: bytes | None = None
    """The object code of the thread pool, as stored in a saved program."""
    accesses: tuple[CheckedAccess, ...] = ()
    """The accesses that the object code checks, with `check_bounds`."""
    exactness: tuple[StepBound, ...] = ()
    checks: tuple[ValueCheck, ...] = ()
    """The values that a call checks, with `check_values`."""

    def __repr__(self) -> str:
        return f"<Artifact of {summarize(self).line}>"

    def why_not_here(self) -> str | None:
        """Why this machine cannot run the object code; None where it can."""
        if self.object_code is None or machine_has(self.cpu):
            return None
        from devproc.targets.cpu.cpu_target import why_not_here

        return why_not_here(self.cpu)


@dataclass(frozen=True)
class Compiled:
    """An artifact with its weights, and the times of the stages."""

    artifact: Artifact
    weights: WeightTable
    stored: Mapping[str, Any] | None = None
    """The record that locates the weights on disk, if they are written already."""
    records: list[StageRecord] = field(default_factory=list["StageRecord"])
