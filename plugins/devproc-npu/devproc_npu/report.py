"""What a region takes on the machine: measured by the simulator, or estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from devproc_npu.code import Function, decode
from devproc_npu.isa import Compute, Config, Load, Preload, Store, Type
from devproc_npu.isa import decode as decode_program
from devproc_npu.machine import COLUMNS, MACHINE, ROWS
from devproc_npu.simulator import Counters

EXTERNAL, SCRATCHPAD, ACCUMULATOR = "external", "scratchpad", "accumulator"


@dataclass(frozen=True)
class Report:
    """Cycles, multiply-accumulates, and bytes read from and written to each memory."""

    cycles: float
    multiplications: int
    moved: Mapping[str, int]
    bandwidth: int
    """Bytes per cycle of the external memory."""

    @property
    def seconds(self) -> float:
        """At the clock of the machine."""
        return self.cycles / MACHINE.clock

    @property
    def utilization(self) -> float:
        """Share of the multiply-accumulate units' cycles that did work."""
        return self.multiplications / max(1.0, self.cycles * ROWS * COLUMNS)

    @property
    def intensity(self) -> float:
        """Operations for each byte of the external memory; a multiply-accumulate is two."""
        return 2 * self.multiplications / max(1, self.moved[EXTERNAL])

    @property
    def bound(self) -> float:
        """Operations per cycle that the roofline allows at this intensity."""
        return min(2.0 * ROWS * COLUMNS, self.intensity * self.bandwidth)

    def __str__(self) -> str:
        moved = ", ".join(f"{name} {count:,} B" for name, count in self.moved.items())
        return (
            f"{self.cycles:,.0f} cycles, {self.utilization:.1%} of the array;"
            f" {moved}; {self.intensity:.1f} operations per byte:"
            f" {2 * self.multiplications / max(1.0, self.cycles):.0f} of at most"
            f" {self.bound:.0f} per cycle"
        )


def measured(runs: Sequence[Counters], types: Sequence[Type]) -> Report:
    """The report of the programs of one launch."""
    names = (EXTERNAL, SCRATCHPAD, ACCUMULATOR)
    return Report(
        sum(run.cycles for run in runs),
        sum(run.multiplications for run in runs),
        {name: sum(run.moved[name] for run in runs) for name in names},
        _bandwidth(types),
    )


def estimates(code: bytes) -> dict[str, Report]:
    """The report of each function of code, which is not run.

    Cycles are those of the schedules' model; the external memory's bytes and the
    multiply-accumulates are counted in the instructions.
    """
    return {name: _estimate(function) for name, function in decode(code).items()}


def _estimate(function: Function) -> Report:
    moved = multiplications = columns = 0
    types: list[Type] = []
    for binary in function.binaries():
        for op in decode_program(binary):
            if isinstance(op, Config):
                types.append(Type(op.type))
            elif isinstance(op, Load | Store):
                moved += op.blocks * op.rows * op.size
            elif isinstance(op, Preload):
                columns = op.columns
            elif isinstance(op, Compute):
                multiplications += op.rows * op.depth * columns
    return Report(
        function.cycles, multiplications, {EXTERNAL: moved}, _bandwidth(types)
    )


def _bandwidth(types: Sequence[Type]) -> int:
    """Bytes per cycle: twice as many for programs in bf16."""
    return MACHINE.bandwidth * max((type_.size for type_ in types), default=1)
