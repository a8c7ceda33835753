"""Compiled programs: calling, inspecting, saving and loading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devproc.runtime.bundles.artifact import Artifact, Compiled
from devproc.runtime.bundles.bundle import MAPPED, read_bundle, read_entries
from devproc.runtime.entries import Entries, join_entries
from devproc.runtime.program import RunnableProgram

if TYPE_CHECKING:
    from devproc.bundle.export import Bundle
    from devproc.entry import AnySource
    from devproc.report.report import Report


class Program(RunnableProgram):
    """A compiled program.

    Call it with NumPy arrays or torch tensors (torch in gives torch out), of the shapes and
    dtypes that `print(program)` lists. A pipeline takes inputs by name and returns a dict by
    output name; a model alone is called and returns as the exported module does. Inputs
    that are not contiguous are copied. Several Python threads may call one program; the
    calls of a program with state run one after another.

    A call raises InputError with every input that does not fit, BusyError within a call of
    the same thread, CompileError for code of another CPU, and BoundsError in a program
    compiled with `check_bounds`. A copy or a pickle of a program raises DevProcError.
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

    def saved_artifact(self, report: bool) -> Artifact:
        """The artifact, with its report if that is wanted or there."""
        if not report or self.artifact.report_text is not None:
            return self.artifact
        return replace(self.artifact, report_text=self.report().to_json())

    def export_bundle(
        self,
        folder: str | Path,
        *,
        name: str | None = None,
        cpu: str | None = None,
        os: str | None = None,
        weights: str = "file",
        threads: str = "none",
        reference: AnySource | None = None,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        linker: str | None = None,
        small: bool = False,
        levels: Sequence[Program] = (),
    ) -> Bundle:
        """Writes the program as a C library, which needs nothing else, into a folder.

        See docs/bundle.md. `name` begins the names of its functions. `os` is the system, by
        default Linux; `cpu` is one of the machines that run a program for `aarch64`
        (`"riscv64"`, `"wasm32"`, ...), by default that of the program. `weights`: in a
        `"file"`, or with `"embed"` in the library. `threads`: parallel loops run on the
        calling thread (`"none"`), on the library's `"own"` pool, or by a `"callback"`.

        The golden cases are three random inputs, or those of `inputs`: dicts of arrays by
        name, of the declared shapes and dtypes. `reference` is the source of the program:
        the references of its ops make the results; without it the program does. `linker`:
        one of `devproc.bundle.code.linker.LINKERS`. `small`: LLVM prefers short code.
        `levels`: the same program compiled for other processors of x86-64, whose code is in
        the library too; `create` chooses the best that is there.

        A program for `cuda` has the kernels for the `arch` that it was compiled with.

        Raises BundleError for a program that needs more than the CPU and a GPU of NVIDIA's, or
        a machine that it was not compiled for, CompileError where a golden case is beyond its
        bound, and InputError for `inputs` that do not fit.
        """
        from devproc.bundle.export import export_bundle

        return export_bundle(
            self,
            folder,
            name=name,
            cpu=cpu,
            os=os,
            weights=weights,
            threads=threads,
            reference=reference,
            inputs=inputs,
            linker=linker,
            small=small,
            levels=levels,
        )


def load(
    path: str | Path,
    *,
    verify: bool = True,
    key: bytes | None = None,
    weights: str = MAPPED,
) -> Program:
    """The program of a file.

    Everything except weights is always compared with its SHA-256, weights with `verify`;
    without it they are mapped and not read before the program uses them. With a `key`, 16
    bytes or more, only a file that `save` signed with the same key is loaded, and everything
    is compared. `weights="map"`: processes share the pages of the file. `"memory"`: the file
    is read into memory of this process, in huge pages where the system has them, which are
    read faster. A program holds machine code: load it only from where you would run a
    program from.

    Raises BundleError if the file is missing, damaged or foreign, InputError for another
    value of `weights`.
    """
    return read_bundle(Path(path), Program, verify=verify, key=key, weights=weights)


def load_entries(
    path: str | Path,
    *,
    verify: bool = True,
    key: bytes | None = None,
    weights: str = MAPPED,
) -> Entries[Program]:
    """The program with several entries of a file; the options are those of `load`.

    Raises BundleError if the file is missing, damaged or foreign, InputError for another
    value of `weights`.
    """

    def make(
        found: Mapping[str, Compiled], properties: Mapping[str, object]
    ) -> Entries[Program]:
        return join_entries(found, Program, properties)

    return read_entries(Path(path), make, verify=verify, key=key, weights=weights)
