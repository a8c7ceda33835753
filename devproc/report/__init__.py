"""Reports: placement, copies, memory, kernels and schedules as tables, read from the IR.

Nothing is recorded during compilation: the text of the stages holds all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from rich.console import Group
from rich.table import Table

from devproc.backend.installed import backend
from devproc.driver import StageRun, parse_module, stages_between
from devproc.exactness.steps.step_bounds import read_bounds
from devproc.report.launches import LaunchTable, read_launches
from devproc.report.read import (
    count_transposes,
    read_copies,
    read_fallbacks,
    read_fusion,
    read_kernels,
    read_memory,
    read_moves,
    read_placement,
    read_schedules,
    read_tokenizers,
)
from devproc.report.rendering import Rendered
from devproc.report.states import StateTable, read_states
from devproc.report.tables import (
    CopyTable,
    ExactnessTable,
    FallbackTable,
    FusionTable,
    KernelTable,
    MemoryTable,
    MoveTable,
    PlacementTable,
    Region,
    RegionTable,
    ScheduleTable,
    TimingTable,
    TokenizerTable,
)
from devproc.report.weights import WeightTable, read_weights
from devproc.runtime.execution.host_reader import find_function, interface_of
from devproc.stages import STAGES
from devproc.timings import StageRecord


@dataclass(frozen=True, repr=False)
class Report(Rendered):
    """All tables of a program; printing it renders them."""

    placement: PlacementTable
    fallbacks: FallbackTable
    copies: CopyTable
    memory: MemoryTable
    states: StateTable
    kernels: KernelTable
    launches: LaunchTable
    regions: RegionTable
    schedules: ScheduleTable
    fusion: FusionTable
    moves: MoveTable
    timings: TimingTable
    exactness: ExactnessTable
    tokenizers: TokenizerTable
    weights: WeightTable

    def tables(self) -> list[Table]:
        """The tables that are not empty, in the order of a compilation."""
        optional = (self.tokenizers, self.fallbacks, self.exactness, self.weights)
        rest = (
            *(self.copies, self.memory),
            *([self.states] if self.states.rows else []),
            self.kernels,
            *([self.launches] if self.launches.rows else []),
            *([self.regions] if self.regions.rows else []),
            *(self.schedules, self.fusion, self.moves),
        )
        shown = [self.placement, *(t for t in optional if t.rows), *rest]
        shown += [self.timings] if self.timings.rows else []
        return [table.__rich__() for table in shown]

    def __rich__(self) -> Group:
        return Group(*self.tables())

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in fields(self))
        kernels, ops = len(self.kernels.rows), len(self.placement.rows)
        return f"<Report of {ops} ops in {kernels} kernels; print it, or its {names}>"


def make_report(
    program_text: str,
    timings: Sequence[StageRecord] = (),
    code: Mapping[str, bytes] | None = None,
) -> Report:
    """The report of a program from the text of its first stage, and its code by device."""
    module = parse_module(program_text)
    tokenizers = read_tokenizers(module)
    fusion: list[FusionTable] = []
    weights: list[WeightTable] = []
    run = StageRun(
        module,
        unverified=[stage.name for stage in STAGES],
        before={
            "fuse-pointwise": lambda module: fusion.append(read_fusion(module)),
            "quantize-weights": lambda module: weights.append(read_weights(module)),
        },
    )
    run.run(stages_between(None, "placed"))
    placement, copies = read_placement(module), read_copies(module)
    fallbacks, transposes = read_fallbacks(module), count_transposes(module)
    specs = interface_of(find_function(module, "main")).states
    run.run(stages_between("placed", "buffers"))
    memory, states = read_memory(module), read_states(module, specs)
    kernels = read_kernels(module)
    moves, launches = read_moves(module, transposes), read_launches(module)
    run.run(stages_between("buffers", "schedules"))
    run.join()
    schedules = read_schedules(module)
    regions = RegionTable(tuple(_regions(code or {})))
    timing = TimingTable(tuple(timings))
    exactness = ExactnessTable(read_bounds(module))
    return Report(
        *(placement, fallbacks, copies, memory, states),
        *(
            kernels,
            launches,
            regions,
            schedules,
            fusion[0],
            moves,
            timing,
            exactness,
            tokenizers,
            weights[0],
        ),
    )


def _regions(code: Mapping[str, bytes]) -> Iterator[Region]:
    for device, built in code.items():
        for estimate in backend(device).estimate(built):
            yield Region(device, estimate)
