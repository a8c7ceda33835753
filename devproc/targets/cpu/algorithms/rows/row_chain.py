"""A chain of ops over rows: reductions of the columns and ops on their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from devproc.algorithms.base import KernelOps
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.targets.cpu.transforms.loops.combiners import (
    Combiner,
    arg_direction,
    combiner_of,
)
from devproc.targets.cpu.transforms.loops.kernels import (
    StructuredOp,
    is_parallel,
    loop_sizes,
    maps_of,
)
from devproc.targets.cpu.transforms.nests.groups import has_aliases, start_of
from devproc.targets.cpu.transforms.nests.loop_space import (
    LoopSpace,
    Operand,
    index_uses,
    operands_of,
)
from devproc.targets.cpu.transforms.nests.vector_forms import can_vectorize


@dataclass
class Stage:
    """One op of the chain.

    `kind`: "map" (elementwise over columns), "reduce" (columns to a value of the row),
    "row" (values of the row only).
    """

    op: StructuredOp
    kind: str
    inputs: list[Operand]
    outputs: list[Operand]
    starts: list[FillOp | None] = field(default_factory=list["FillOp | None"])
    combiner: Combiner | None = None
    direction: str | None = None


@dataclass(frozen=True, eq=False)
class RowPass:
    """Stages that share one pass over the columns of a row, or one "row" stage."""

    stages: list[Stage]

    @property
    def is_of_row(self) -> bool:
        """Whether it uses values of the row only."""
        return self.stages[0].kind == "row"

    @property
    def reads(self) -> list[SSAValue]:
        """The memrefs that its stages read, in order."""
        inputs = [operand.origin for stage in self.stages for operand in stage.inputs]
        return list(dict.fromkeys(inputs))

    @property
    def makes(self) -> list[SSAValue]:
        """The memrefs of the values of the row that it computes, in order."""
        return [
            operand.origin
            for stage in self.stages
            if stage.kind != "map"
            for operand in stage.outputs
        ]


class RowChain(LoopSpace):
    """The ops of a kernel as stages over shared rows and columns."""

    def __init__(self, sizes: Sequence[int], rows: int, stages: list[Stage]):
        super().__init__(sizes, [loop < rows for loop in range(len(sizes))])
        self.stages = stages
        self.ops: list[StructuredOp] = []
        for stage in stages:
            self.operands += [*stage.inputs, *stage.outputs]
            self.pinned |= index_uses(stage.op)

    @property
    def rows(self) -> list[int]:
        """The loops over rows."""
        return [loop for loop, is_row in enumerate(self.parallel) if is_row]

    @property
    def columns(self) -> list[int]:
        """The loops over the columns of a row."""
        return [loop for loop, is_row in enumerate(self.parallel) if not is_row]

    @lazy_property
    def passes(self) -> list[RowPass]:
        """All stages in order: those that share the loop over columns form one pass; a
        stage on row values is a separate pass."""
        found: list[RowPass] = []
        pending: set[SSAValue] = set()
        for stage in self.stages:
            needs = {operand.origin for operand in stage.inputs}
            fits = found and stage.kind != "row" and not found[-1].is_of_row
            if fits and not needs & pending:
                found[-1].stages.append(stage)
            else:
                found.append(RowPass([stage]))
                pending = set()
            if stage.kind == "reduce":
                pending |= {operand.origin for operand in stage.outputs}
        return found

    @property
    def column_passes(self) -> list[RowPass]:
        """The passes over the columns."""
        return [found for found in self.passes if not found.is_of_row]

    def must_store(self, stage: Stage, output: Operand) -> bool:
        """Whether a result must be stored: an argument, or read by another pass."""
        if isinstance(output.origin, BlockArgument):
            return True
        if stage.kind != "map":
            return False
        return any(
            stage not in found.stages and output.origin in found.reads
            for found in self.passes
        )


def match(kernel: KernelOps) -> Iterator[RowChain]:
    """All ops of a reduction as one chain."""
    if kernel.family != "reduction":
        return
    chain = match_row_chain(kernel.structured)
    if chain is not None:
        yield chain


def match_row_chain(ops: Sequence[StructuredOp]) -> RowChain | None:
    """All these ops as one chain; None if they do not form one along rows."""
    reductions = [op for op in ops if not all(is_parallel(op))]
    if not reductions:
        return None
    kinds = is_parallel(reductions[0])
    sizes = loop_sizes(reductions[0])
    rows = sum(kinds)
    if not all(kinds[:rows]) or 0 in sizes:
        return None
    stages: list[Stage] = []
    for position, op in enumerate(ops):
        if isinstance(op, FillOp):
            continue
        stage = _match_stage(ops, position, sizes, rows)
        if stage is None:
            return None
        stages.append(stage)
    if not _fills_are_starts(ops, stages) or not _same_places(ops, stages):
        return None
    chain = RowChain(sizes, rows, stages)
    chain.ops = list(ops)
    chain.simplify()
    return chain if _runs_along_columns(chain) else None


def _match_stage(
    ops: Sequence[StructuredOp], position: int, sizes: Sequence[int], rows: int
) -> Stage | None:
    op = ops[position]
    kinds, own = is_parallel(op), loop_sizes(op)
    if list(own) != list(sizes[: len(own)]) or not can_vectorize(op):
        return None
    maps = [
        m.replace_dims_and_symbols([*_dims(len(own))], [], len(sizes), 0)
        for m in maps_of(op)
    ]
    count = len(op.inputs)
    stage = Stage(
        op,
        "map",
        operands_of(op.inputs, maps[:count]),
        operands_of(op.outputs, maps[count:]),
    )
    reads_outputs = any(argument.uses for argument in op.body.block.args[count:])
    if len(own) == rows < len(sizes) and all(kinds):
        stage.kind = "row"
        return None if reads_outputs else stage
    if len(own) != len(sizes):
        return None
    if all(kinds):
        return None if reads_outputs else stage
    if list(kinds) != [d < rows for d in range(len(sizes))]:
        return None
    stage.kind = "reduce"
    stage.starts = [start_of(ops, position, output) for output in op.outputs]
    stage.combiner = combiner_of(op) if len(op.outputs) == 1 else None
    stage.direction = arg_direction(op)
    known = stage.combiner is not None or stage.direction is not None
    return stage if known and None not in stage.starts else None


def _dims(count: int) -> list[AffineDimExpr]:
    return [AffineDimExpr(d) for d in range(count)]


def _fills_are_starts(ops: Sequence[StructuredOp], stages: Sequence[Stage]) -> bool:
    """Whether every fill of the kernel initialises an accumulator of the chain."""
    used = {id(fill) for stage in stages for fill in stage.starts}
    return all(id(op) in used for op in ops if isinstance(op, FillOp))


def _same_places(ops: Sequence[StructuredOp], stages: Sequence[Stage]) -> bool:
    """Whether stages read the results of others at the indices where they were
    written."""
    written: dict[SSAValue, AffineMap] = {}
    outputs = [output.origin for stage in stages for output in stage.outputs]
    if any(has_aliases(output, ops) for output in outputs):
        return False
    for stage in stages:
        for operand in stage.inputs:
            if written.get(operand.origin, operand.map) != operand.map:
                return False
        for inner in stage.op.body.block.ops:
            if any(operand in written for operand in inner.operands):
                return False
        written |= {operand.origin: operand.map for operand in stage.outputs}
    return True


def _runs_along_columns(chain: RowChain) -> bool:
    """Whether the operands are contiguous along the innermost column loop."""
    if not chain.columns:
        return False
    inner = chain.columns[-1]
    for stage in chain.stages:
        for operand in stage.inputs:
            stride = operand.stride(inner)
            if stride not in (0, 1):
                return False
        for operand in stage.outputs:
            wanted = 1 if stage.kind == "map" else 0
            if operand.stride(inner) != wanted:
                return False
    return True
