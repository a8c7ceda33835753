"""Loop nests with their schedule, or with several alternative schedules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    base,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.sched.base import Record, Schedule, record_definition
from devproc.dialects.sched.fields import nested, time, word
from devproc.ir.directives import Int, Text
from devproc.ir.op_definition import op_definition

STRUCTURED = frozenset({"linalg", "linalg_ext"})
"""The dialects of the ops that a nest may contain."""


def is_structured(op: Operation) -> bool:
    """Whether a nest may contain an op."""
    return op.dialect_name() in STRUCTURED and not op.results


class ScheduledOp(IRDLOperation):
    """The base class of ops that wrap the structured ops of one nest."""

    sym_name = opt_prop_def(SymbolNameConstraint())
    why = prop_def(StringAttr)
    body = region_def("single_block")

    custom_directives: ClassVar = (Int, Text)

    traits = traits_def(NoTerminator())

    @property
    def members(self) -> list[Operation]:
        """The ops of the nest, in order."""
        return list(self.body.block.ops)

    @property
    def nest_name(self) -> str | None:
        """The symbol name of the nest, unique within its kernel."""
        return None if self.sym_name is None else self.sym_name.data

    @property
    def label(self) -> str:
        """The name in messages, with a leading space."""
        return "" if self.nest_name is None else f" @{self.nest_name}"

    def verify_(self) -> None:
        block = self.body.block
        if block.args:
            raise VerifyException(f"{self.name}{self.label} takes no block arguments")
        if not block.ops:
            raise VerifyException(f"{self.name}{self.label} wraps no op")
        for op in block.ops:
            if not is_structured(op):
                raise VerifyException(
                    f"{self.name}{self.label} wraps structured ops without results, not"
                    f" '{op.name}'"
                )
        if not self.why.data or "\n" in self.why.data:
            raise VerifyException(f"{self.name}{self.label} needs a reason of one line")
        self._verify_unique()

    def _verify_unique(self) -> None:
        """Verify that no other nest of the kernel has this name."""
        block = self.parent_block()
        if self.sym_name is None or block is None:
            return
        for op in block.ops:
            if op is self or not isinstance(op, ScheduledOp):
                continue
            if op.sym_name == self.sym_name:
                raise VerifyException(f"two nests of one kernel are named{self.label}")


def nests_around(op: Operation) -> list[ScheduledOp]:
    """The nests of the kernel that contains an op; none outside of a function."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    ops = () if parent is None else parent.body.block.ops
    return [nest for nest in ops if isinstance(nest, ScheduledOp)]


def nest_named(op: Operation, name: str) -> ScheduledOp | None:
    """The nest of this name in the kernel that contains an op; None without one."""
    return next((nest for nest in nests_around(op) if nest.nest_name == name), None)


def known_nest(op: Operation, name: str) -> ScheduledOp:
    """As `nest_named`; raises VerifyException if there is none."""
    nest = nest_named(op, name)
    if nest is None:
        known = ", ".join(n.label.strip() for n in nests_around(op))
        raise VerifyException(
            f"{op.name} @{name}: its kernel has no nest of this name; known nests:"
            f" {known or 'none'}"
        )
    return nest


@op_definition
class NestOp(ScheduledOp):
    """The structured ops of one loop nest, with their schedule.

    A nest has one anchor, optional fills that initialise its accumulators, and an
    optional epilogue on its result. The schedule names the algorithm and holds all
    decisions; `why` is the reason for it, in one line. The ops read and write memrefs
    of the enclosing kernel.

    ```mlir
    sched.nest @n0 #sched.rows<lanes = 16, vectors = [4], block = none, grain = none>
        why "rows of 64 columns" {
      linalg.fill ins(%zero : f32) outs(%sum : memref<8xf32>)
      linalg.reduce ...
    }
    ```
    """

    name = "sched.nest"

    schedule = prop_def(base(Schedule))

    assembly_format = "($sym_name^)? $schedule `why` custom<Text>($why) $body attr-dict"

    def __init__(
        self,
        schedule: Schedule,
        why: str,
        ops: Sequence[Operation] | Region,
        name: str | None = None,
    ):
        super().__init__(
            properties={
                "schedule": schedule,
                "why": StringAttr(why),
                "sym_name": None if name is None else StringAttr(name),
            },
            regions=[ops if isinstance(ops, Region) else [ops]],
        )


@record_definition
class Variant(Record):
    """One of several schedules of a nest, with its run time if that is known.

    ```mlir
    #sched.variant<schedule = #sched.scatter<grain = 8, lanes = 1>, time = 12.5, by = measured>
    ```
    """

    name = "sched.variant"

    schedule: Schedule = nested("The schedule.", Schedule)
    time: float | None = time("Time of one run of the nest, in microseconds.")
    by: str | None = word(
        "Source of the time: a measurement, or a model of the processor.",
        "measured",
        "modelled",
        optional=True,
    )

    def conflict(self) -> str | None:
        if (self.time is None) != (self.by is None):
            return "'time' and 'by' are given together, or both none"
        return None


@op_definition
class VariantsOp(ScheduledOp):
    """The structured ops of one nest, with several schedules, one of them selected.

    ```mlir
    sched.variants @n0 [
        #sched.variant<schedule = #sched.scatter<grain = 8, lanes = 1>, time = 12.5, by = measured>,
        #sched.variant<schedule = #sched.scatter<grain = 4, lanes = 1>, time = none, by = none>
    ] take 0 why "measured" {
      linalg.scatter ...
    }
    ```
    """

    name = "sched.variants"

    variants = prop_def(ArrayAttr[Variant])
    taken = prop_def(IntegerAttr)

    assembly_format = (
        "($sym_name^)? $variants `take` custom<Int>($taken) `why` custom<Text>($why)"
        " $body attr-dict"
    )

    def __init__(
        self,
        variants: Sequence[Variant],
        taken: int,
        why: str,
        ops: Sequence[Operation] | Region,
        name: str | None = None,
    ):
        super().__init__(
            properties={
                "variants": ArrayAttr(variants),
                "taken": IntegerAttr(taken, i64),
                "why": StringAttr(why),
                "sym_name": None if name is None else StringAttr(name),
            },
            regions=[ops if isinstance(ops, Region) else [ops]],
        )

    @property
    def schedule(self) -> Schedule:
        """The selected schedule."""
        return self.variants.data[self.taken.value.data].schedule

    def verify_(self) -> None:
        super().verify_()
        schedules: list[Attribute] = [variant.schedule for variant in self.variants]
        if not 0 <= self.taken.value.data < len(schedules):
            raise VerifyException(
                f"{self.name}{self.label} has {len(schedules)} schedules, it cannot take"
                f" number {self.taken.value.data}"
            )
        for place, schedule in enumerate(schedules):
            if schedule in schedules[:place]:
                raise VerifyException(
                    f"{self.name}{self.label} has the schedule {schedule} twice"
                )
