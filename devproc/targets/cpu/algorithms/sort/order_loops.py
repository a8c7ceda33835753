"""The base of the loops of all order ops: rows and the schedule."""

from __future__ import annotations

from typing import Generic, TypeVar

from xdsl.ir import SSAValue

from devproc.dialects.linalg_ext.order import OrderOp
from devproc.dialects.sched import SortSchedule
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import lanes_of
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

OpT = TypeVar("OpT", bound=OrderOp)


class OrderLoops(Generic[OpT]):
    """Loops over the rows of an op; `_row` emits one of them."""

    def __init__(
        self, op: OpT, schedule: SortSchedule, emitter: Emitter, vector_bits: int
    ):
        self.op, self.schedule, self.emitter = op, schedule, emitter
        type_ = memref_of(op.operand)
        *self.rows, self.size = type_.get_shape()
        self.element = type_.element_type
        self.lanes = lanes_of(self.element, vector_bits)
        self.vectors = schedule.vectors

    def emit(self) -> None:
        """Emit the loops over the rows."""
        self.emitter.for_each(self.rows, self.schedule.grain, self._row)

    def _row(self, row: list[SSAValue]) -> None:
        """Emit the order of one row."""
        raise NotImplementedError
