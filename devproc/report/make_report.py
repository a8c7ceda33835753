"""Reads the report of a program from its IR.

Nothing is recorded during compilation: the text of the stages holds all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from devproc.backend.installed import backend
from devproc.driver import StageRun, parse_module, stages_between
from devproc.exactness.steps.step_bounds import read_bounds
from devproc.report.launches import read_launches
from devproc.report.optional_tables import (
    ExactnessTable,
    Region,
    RegionTable,
    WeightTable,
)
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
from devproc.report.report import Report
from devproc.report.states import read_states
from devproc.report.tables import FusionTable, TimingTable
from devproc.report.weights import read_packed_weights, read_weights
from devproc.runtime.execution.host_reader import find_function, interface_of
from devproc.stages import STAGES
from devproc.timings import StageRecord


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
            "pad-rows": lambda module: weights.append(read_packed_weights(module)),
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
    stored = WeightTable(tuple(row for table in weights for row in table.rows))
    run.run(stages_between("buffers", "schedules"))
    run.join()
    schedules = read_schedules(module)
    return Report(
        *(placement, fallbacks, copies, memory, states, kernels, launches),
        RegionTable(tuple(_regions(code or {}))),
        *(schedules, fusion[0], moves),
        TimingTable(tuple(timings)),
        ExactnessTable(read_bounds(module)),
        *(tokenizers, stored),
    )


def _regions(code: Mapping[str, bytes]) -> Iterator[Region]:
    for device, built in code.items():
        for estimate in backend(device).estimate(built):
            yield Region(device, estimate)
