"""Compiled programs: calling, inspecting, saving and loading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devproc.runtime.bundles.artifact import Compiled
from devproc.runtime.bundles.bundle import read_bundle, read_entries
from devproc.runtime.entries import Entries, join_entries
from devproc.runtime.program import RunnableProgram

if TYPE_CHECKING:
    from devproc.report.report import Report
    from devproc.runtime.execution.trace import Event


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
        """Tables of placement, copies, memory, kernels and schedules; print it."""
        from devproc.report.make_report import make_report

        return make_report(self.artifact.program_text, self.timings, self.artifact.code)

    def trace(self, path: str | Path, *args: Any, **kwargs: Any) -> Any:
        """One inference, kernel by kernel, written as a Chrome trace; the result.

        The program is built again with one native call per kernel, so the sum is a
        little above the untraced time. It begins with this program's state, and leaves
        that as it is.
        """
        from devproc.runtime.execution.trace import write_events

        given = self.artifact.calling.bind(args, kwargs)
        outputs, events = self.observe_flat(given)
        write_events(Path(path), events)
        return self.artifact.calling.result(given, outputs)

    def observe_flat(self, given: Sequence[Any]) -> tuple[Sequence[Any], list[Event]]:
        """One inference as in `trace`: the outputs in order, and the events of all steps."""
        single = self._with_single_launches()
        # Warm up with an observer: without one, other memory would take the page faults.
        single.run_flat(given, lambda step, begin, end: None)
        single.state.copy_from(self.state)
        events: list[Event] = []
        outputs = single.run_flat(
            given, lambda s, begin, end: events.append((s, begin, end))
        )
        return outputs, events

    def _with_single_launches(self) -> Program:
        """The same program with one native call per kernel."""
        from devproc.compiler import build
        from devproc.driver import parse_module
        from devproc.source import Source

        artifact = self.artifact
        source = Source(
            parse_module(artifact.program_text),
            self.weights,
            artifact.interface,
            artifact.calling,
            prepared=True,
        )
        single = "outline-segments{max-launches=1}"
        built = build(
            source, artifact.devices, pass_options={"outline-segments": single}
        )
        return Program(built.artifact, built.weights)


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
