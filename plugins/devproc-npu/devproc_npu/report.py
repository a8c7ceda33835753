"""What a function takes on the machine: measured by the simulator, or estimated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from devproc.backend import Estimate
from devproc_npu.code import Function, decode
from devproc_npu.isa import (
    Accumulate,
    Add,
    Compute,
    Config,
    Instruction,
    Load,
    Maximum,
    Preload,
    Requantize,
    Store,
    Type,
)
from devproc_npu.isa import decode as decode_program
from devproc_npu.machine import COLUMNS, MACHINE, ROWS
from devproc_npu.simulator import Counters

ROW = 4 * COLUMNS
"""Bytes of a row of the accumulator."""


def measured(symbol: str, runs: Sequence[Counters], types: Sequence[Type]) -> Estimate:
    """What the programs of one launch took."""
    moved = sum((Counter(run.moved) for run in runs), Counter[str]())
    cycles = sum(run.cycles for run in runs)
    return _report(
        symbol, cycles, sum(run.multiplications for run in runs), moved, types
    )


def estimates(code: bytes) -> list[Estimate]:
    """What each function of code takes, which is not run.

    Cycles are those of the schedules' model; all else is counted in the instructions.
    """
    return [_estimate(name, function) for name, function in decode(code).items()]


def _estimate(symbol: str, function: Function) -> Estimate:
    moved, multiplications, columns = Counter[str](), 0, 0
    types: list[Type] = []
    for binary in function.binaries():
        for op in decode_program(binary):
            if isinstance(op, Config):
                types.append(Type(op.type))
            elif isinstance(op, Preload):
                columns = op.columns
            elif isinstance(op, Compute):
                multiplications += op.rows * op.depth * columns
            moved.update(_moved(op, types[-1]))
    return _report(symbol, int(function.cycles), multiplications, moved, types)


def _moved(op: Instruction, type_: Type) -> Mapping[str, int]:
    """Bytes that an instruction reads from and writes to each memory."""
    size = type_.size
    if isinstance(op, Load | Store):
        count = op.blocks * op.rows * op.size
        return {"external": count, "scratchpad": count}
    if isinstance(op, Preload):
        return {"scratchpad": op.rows * op.columns * size}
    if isinstance(op, Compute):
        sums = op.rows * (1 + op.add) * ROW
        return {"scratchpad": op.rows * op.depth * size, "accumulator": sums}
    if isinstance(op, Requantize):
        written = op.rows * op.columns * (4 if op.wide else size)
        read = type_.channel_bytes
        return {"scratchpad": written + read, "accumulator": op.rows * ROW}
    if isinstance(op, Accumulate):
        read = op.rows * op.columns * size
        return {"scratchpad": read, "accumulator": (1 + op.add) * ROW}
    if isinstance(op, Add | Maximum):
        scales = 24 if isinstance(op, Add) and type_ is Type.INT8 else 0
        return {"scratchpad": 3 * op.rows * op.columns * size + scales}
    return {}


def _report(
    symbol: str,
    cycles: int,
    multiplications: int,
    moved: Mapping[str, int],
    types: Sequence[Type],
) -> Estimate:
    """Programs in bf16 have twice the bandwidth."""
    bandwidth = MACHINE.bandwidth * max((type_.size for type_ in types), default=1)
    names = ("external", "scratchpad", "accumulator")
    return Estimate(
        symbol,
        cycles,
        cycles / MACHINE.clock,
        2 * multiplications,
        2.0 * ROWS * COLUMNS * MACHINE.clock,
        bandwidth * MACHINE.clock,
        {name: moved.get(name, 0) for name in names},
    )
