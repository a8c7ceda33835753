"""The result of a compilation: code, host program and interface, and the weights."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devproc.backend.installed import backend
from devproc.runtime.bundles.summary import summarize
from devproc.runtime.calls.calling import Calling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.execution.host_program import HostProgram

if TYPE_CHECKING:
    from devproc.exactness.bound import StepBound
    from devproc.ir.value_check import ValueCheck
    from devproc.ir.weights.table import WeightTable
    from devproc.timings import StageRecord


@dataclass(frozen=True, repr=False)
class PackedText:
    """A text that a program keeps but seldom reads, in about a tenth of its bytes."""

    content: bytes

    @classmethod
    def of(cls, text: str) -> PackedText:
        """A text, compressed at 300 MB/s."""
        return cls(zlib.compress(text.encode(), 1))

    def __str__(self) -> str:
        return zlib.decompress(self.content).decode()


@dataclass(frozen=True, repr=False)
class Artifact:
    """Everything that a compilation produces except the weights.

    `program` is the module of the first stage; any other stage follows from it.
    `devices` is the user's target, such as "cpu" or "cpu+cuda:interpret". `code` is what
    the backend of each device built; code for another machine can be saved, but not run.
    """

    devices: str
    threads: int
    program: PackedText
    interface: Interface
    calling: Calling
    host: HostProgram
    code: Mapping[str, bytes]
    code_weights: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]]
    )
    """Device -> the weights that its code names, beside those bound to launches."""
    prepare: PackedText | None = None
    """The function `@prepare`, as a module."""
    exactness: tuple[StepBound, ...] = ()
    checks: tuple[ValueCheck, ...] = ()
    """The values that a call checks, with `check_values`."""
    report_text: str | None = None
    """The report as JSON; a program that was saved has it."""

    def __repr__(self) -> str:
        return f"<Artifact of {summarize(self).line}>"

    @property
    def program_text(self) -> str:
        """The module of the first stage."""
        return str(self.program)

    @property
    def prepare_text(self) -> str | None:
        """The module with `@prepare`."""
        return None if self.prepare is None else str(self.prepare)

    @property
    def weight_names(self) -> set[str]:
        """The weights that the program runs on."""
        return self.host.weight_names.union(*self.code_weights.values())

    def why_not_here(self) -> str | None:
        """Why this machine cannot run the code; None where it can."""
        reasons = (backend(name).refusal(code) for name, code in self.code.items())
        return next(filter(None, reasons), None)


@dataclass(frozen=True)
class Compiled:
    """An artifact with its weights, and the times of the stages."""

    artifact: Artifact
    weights: WeightTable
    stored: Mapping[str, Any] | None = None
    """The record that locates the weights on disk, if they are written already."""
    records: list[StageRecord] = field(default_factory=list["StageRecord"])
