"""The parameters of the machine, and what they mean for time."""

from __future__ import annotations

from dataclasses import dataclass

ROWS = COLUMNS = 16
"""Of the array: rows along the sum, columns along the results."""


@dataclass(frozen=True)
class Machine:
    """A 16 x 16 weight-stationary systolic array with its memories and engines.

    Sizes are bytes, times are cycles. The defaults are the machine that `devproc_npu`
    compiles for.
    """

    clock: float = 1e9
    """Cycles per second."""
    scratchpad: int = 256 << 10
    """Operands and results; byte addresses."""
    accumulator: int = 64 << 10
    """Sums of 32 bits, in rows of 16; addressed by row."""
    bandwidth: int = 16
    """Bytes that the DMA engine moves per cycle, loads and stores together; twice as many
    for programs in bf16."""
    burst: int = 64
    """A row of a move takes whole bursts of the external memory; adjacent rows count as one."""
    rows: int = 1
    """Rows of a move that the scratchpad takes per cycle."""
    latency: int = 100
    """From the last beat of a move to its end; moves overlap."""
    issue: int = 4
    """Of the engine, for each move."""
    lanes: int = 16
    """Elements that the vector unit handles per cycle."""
    shadow: bool = True
    """Whether weights are loaded while the present ones are in use."""

    @property
    def drain(self) -> int:
        """From the last row that enters the array to its results."""
        return ROWS + COLUMNS - 2

    @property
    def accumulator_rows(self) -> int:
        """Rows of the accumulator."""
        return self.accumulator // (4 * COLUMNS)

    def moved(self, rows: int, row_bytes: int) -> int:
        """Bytes on the bus for a move of `rows` rows that are apart in external memory."""
        return rows * -(-row_bytes // self.burst) * self.burst


MACHINE = Machine()
"""The machine that the compiler knows."""
