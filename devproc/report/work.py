"""What each launch of a traced run took, beside what its kernel computes and moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from rich.table import Table
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from devproc.dialects.dev import byte_size
from devproc.driver import parse_module, stage_text
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.program.structured import loop_sizes
from devproc.report.rendering import Rendered, make_table
from devproc.runtime.execution.trace import Event

FIRST = 30
"""Rows that the table shows; the rest is one row."""


@dataclass(frozen=True)
class Work:
    """One launch of a kernel: operations on floats, and bytes of its operands."""

    flops: int
    byte_count: int


@dataclass(frozen=True)
class Launch:
    """A step of the program, and the seconds of all its parts."""

    name: str
    where: str
    seconds: float
    work: Work

    def cells(self, total: float) -> tuple[str, ...]:
        """The row of the table; rates of what does not compute or move are empty."""
        rates = (self.work.byte_count, self.work.flops)
        shown = (f"{r / self.seconds / 1e9:.1f}" if r else "" for r in rates)
        share = self.seconds / total if total else 0.0
        return (
            *(self.name, self.where, f"{self.seconds * 1e6:,.1f}"),
            *shown,
            f"{share:.1%}",
        )


@dataclass(frozen=True, repr=False)
class WorkTable(Rendered):
    """The launches of a run in the program's order; printed, the longest first."""

    rows: tuple[Launch, ...]

    @property
    def seconds(self) -> float:
        """Of all steps together."""
        return sum(row.seconds for row in self.rows)

    def __rich__(self) -> Table:
        title = f"time: {self.seconds * 1e6:,.1f} us in {len(self.rows)} steps"
        columns = ("kernel", "source", ">us", ">GB/s", ">GFLOP/s", ">share")
        table = make_table(title, *columns)
        ranked = sorted(self.rows, key=lambda row: row.seconds, reverse=True)
        for row in ranked[:FIRST]:
            table.add_row(*row.cells(self.seconds))
        rest = ranked[FIRST:]
        if rest:
            seconds = sum(row.seconds for row in rest)
            others = Launch(f"{len(rest)} others", "", seconds, Work(0, 0))
            table.add_row(*others.cells(self.seconds))
        return table


def read_work(program_text: str, events: Sequence[Event]) -> WorkTable:
    """The table of a traced run, from the text of the program's first stage."""
    work = kernel_work(parse_module(stage_text(program_text, "kernels")))
    seconds: dict[tuple[str, str, tuple[int, ...]], float] = {}
    known: dict[tuple[str, str, tuple[int, ...]], Work] = {}
    for step, begin, end in events:
        # Parts of a batch run the same steps.
        key = (" ".join(step.kernels) or step.kind, step.where, step.slots)
        moved = Work(0, step.byte_count)
        found = [work[name] for name in step.kernels if name in work] or [moved]
        seconds[key] = seconds.get(key, 0.0) + end - begin
        before = known.get(key, Work(0, 0))
        known[key] = Work(
            before.flops + sum(w.flops for w in found),
            before.byte_count + sum(w.byte_count for w in found),
        )
    return WorkTable(tuple(Launch(k[0], k[1], s, known[k]) for k, s in seconds.items()))


def kernel_work(module: ModuleOp) -> dict[str, Work]:
    """Kernel name -> the work of a launch, of a module at stage `kernels`.

    As written, before schedules: an algorithm that computes less, such as Winograd's,
    shows a higher rate. Each operand counts once; loops in an order count no operations.
    """
    found: dict[str, Work] = {}
    for op in module.ops:
        if isinstance(op, FuncOp) and kernel_mark(op) is not None:
            types = (*op.function_type.inputs, *op.function_type.outputs)
            flops = sum(
                prod(loop_sizes(generic)) * _float_ops(generic)
                for generic in op.walk()
                if isinstance(generic, GenericOp)
            )
            found[op.sym_name.data] = Work(flops, sum(map(byte_size, types)))
    return found


def _float_ops(generic: GenericOp) -> int:
    return sum(map(_is_float_op, generic.body.block.ops))


def _is_float_op(op: Operation) -> bool:
    if isinstance(op, arith.ConstantOp) or len(op.results) != 1:
        return False
    same = all(v.type == op.results[0].type for v in op.operands)
    dialect = op.dialect_name() in (arith.Arith.name, math.Math.name)
    return dialect and same and isinstance(op.results[0].type, AnyFloat)
