"""Compiled programs: calling, inspecting, saving and loading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devproc.runtime.bundles.artifact import Artifact, Compiled
from devproc.runtime.bundles.bundle import read_bundle, read_entries
from devproc.runtime.entries import Entries, join_entries
from devproc.runtime.program import RunnableProgram

if TYPE_CHECKING:
    from devproc.report.report import Report


class Program(RunnableProgram):
    """A compiled program.

    Call it with NumPy arrays or torch tensors (torch in gives torch out). A pipeline
    takes inputs by name and returns a dict by output name; a model alone is called and
    returns as the exported module does. Inputs that are not contiguous are copied.
    Several Python threads may call one program; the calls of a program with state run
    one after another.
    """

    def ir(self, stage: str) -> str:
        """The text of any stage (see `devproc.stages`), "llvm-ir" or "triton-source".

        Raises CompileError naming the known ones.
        """
        from devproc.driver import stage_text

        return stage_text(self.artifact.program_text, stage)

    def report(self) -> Report:
        """Tables of placement, copies, memory, kernels and schedules; print it.

        A saved program has them; else they are read from the stages, which run again.
        """
        from devproc.report.report import Report

        if self.artifact.report_text is not None:
            return Report.from_json(self.artifact.report_text).with_timings(
                self.timings
            )
        from devproc.report.make_report import make_report

        return make_report(self.artifact.program_text, self.timings, self.artifact.code)

    def saved_artifact(self) -> Artifact:
        """The artifact with its report, which is then there without the compiler."""
        return replace(self.artifact, report_text=self.report().to_json())


def load(path: str | Path, *, verify: bool = True, key: bytes | None = None) -> Program:
    """The program of a file; raises BundleError if missing, damaged or foreign.

    Everything except weights is always compared with its SHA-256, weights with `verify`;
    without it they are mapped and not read before the program uses them. With a `key`, only
    a file that `save` signed with the same key is loaded, and everything is compared.
    A program holds machine code: load it only from where you would run a program from.
    """
    return read_bundle(Path(path), Program, verify=verify, key=key)


def load_entries(
    path: str | Path, *, verify: bool = True, key: bytes | None = None
) -> Entries[Program]:
    """The program with several entries of a file; the options are those of `load`."""

    def make(
        found: Mapping[str, Compiled], properties: Mapping[str, object]
    ) -> Entries[Program]:
        return join_entries(found, Program, properties)

    return read_entries(Path(path), make, verify=verify, key=key)
