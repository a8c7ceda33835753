"""The units of a region: which ops form one kernel, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.dev import YieldOp
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.loop import LoopOp
from devproc.dialects.nn.loop import YieldOp as StepYieldOp
from devproc.dialects.plan import ViewOp
from devproc.ir.program.structured import FAMILY, GROUP, is_parallel, sources_of
from devproc.ir.text.location import location_name


@dataclass(eq=False)
class Unit:
    """The ops of one kernel; or a view or a loop, which stay in the host program."""

    ops: list[Operation] = field(default_factory=list)

    @property
    def is_view(self) -> bool:
        """Whether this is a view or a weight, which needs no kernel."""
        return isinstance(self.ops[0], ViewOp | WeightOp)

    @property
    def loop(self) -> LoopOp | None:
        """The loop of this unit, whose body has its own units; None for other units."""
        (op, *_) = self.ops
        return op if isinstance(op, LoopOp) else None

    @property
    def family(self) -> str:
        """The family that fusion determined; for a single op, that of its loops."""
        for op in self.ops:
            mark = op.attributes.get(FAMILY)
            if isinstance(mark, StringAttr):
                return mark.data
        parallel = [
            flag
            for op in self.ops
            if isinstance(op, GenericOp)
            for flag in is_parallel(op)
        ]
        return "pointwise" if all(parallel) else "reduction"

    @property
    def sources(self) -> list[str]:
        """Names of the ops that the kernel computes, without duplicates, in order."""
        return list(dict.fromkeys(n for op in self.ops for n in sources_of(op)))

    @property
    def place(self) -> str | None:
        """The module path of the anchor, or else of the last op."""
        anchors = [op for op in self.ops if FAMILY in op.attributes]
        for op in (*anchors, *reversed(self.ops)):
            if name := location_name(op.location):
                return name
        return None


def is_cheap(op: object) -> bool:
    """Whether every kernel gets its own copy of an op: constants and their fills."""
    return isinstance(op, arith.ConstantOp | tensor.EmptyOp | FillOp)


def operands_of(op: Operation) -> Iterator[SSAValue]:
    """The values that an op reads, including those captured by its body."""
    inside = {id(child) for child in op.walk()}
    for child in op.walk():
        for operand in child.operands:
            owner = operand.owner
            parent = owner if isinstance(owner, Operation) else owner.parent_op()
            if child is op or id(parent) not in inside:
                yield operand


def collect_units(block: Block) -> list[Unit]:
    """The units of a region in topological order."""
    groups: dict[object, Unit] = {}
    unit_of: dict[Operation, Unit] = {}
    for op in block.ops:
        if isinstance(op, YieldOp | StepYieldOp) or is_cheap(op):
            continue
        mark = op.attributes.get(GROUP)
        key = mark.value.data if isinstance(mark, IntegerAttr) else op
        unit_of[op] = unit = groups.setdefault(key, Unit())
        unit.ops.append(op)
    ordered: list[Unit] = []
    state: dict[Unit, bool] = {}

    def visit(unit: Unit) -> None:
        if unit in state:
            if not state[unit]:
                raise PassFailedException(
                    f"outline-kernels: the group of '{unit.ops[0].name}' at"
                    f" {unit.place} depends on its own result: fusion created a cycle"
                )
            return
        state[unit] = False
        for op in unit.ops:
            for operand in operands_of(op):
                owner = unit_of.get(operand.owner)  # pyright: ignore[reportArgumentType]
                if owner is not None and owner is not unit:
                    visit(owner)
        state[unit] = True
        ordered.append(unit)

    for unit in groups.values():
        visit(unit)
    return ordered


def top_level(op: Operation, sibling: Operation) -> Operation:
    """The op of the sibling's block that `op` is nested in, or `op` itself."""
    current: Operation | None = op
    while current is not None and current.parent is not sibling.parent:
        current = current.parent_op()
    return current or op
