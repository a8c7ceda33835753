"""Plans a row chain: lanes, accumulators of each pass, blocks of long sums, threads."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, SSAValue

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import RowsSchedule
from devproc.targets.cpu.algorithms.rows.column_pass import has_blocks, reductions
from devproc.targets.cpu.algorithms.rows.row_chain import RowChain, Stage
from devproc.targets.cpu.algorithms.vectors.match import VectorizableNest
from devproc.targets.cpu.algorithms.vectors.match import reductions as along_results
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import (
    body_work,
    grain_of,
    is_parallel,
    lanes_of,
    lanes_problem,
)
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.nest_emitter import (
    is_index_or_bool,
    values_that_vary,
)

BLOCK = 128
"""Vectors that one float accumulator sums before it is added to an outer one."""


def plan(chain: RowChain, family: str, target: TargetAttr) -> Decision:
    """The schedule of a chain, unless its one reduction reads whole rows of a table."""
    if _reads_table_rows(chain, family):
        return Refusal(
            "each row of a table that it adds is contiguous along its results"
        )
    lanes = _register(chain, machine_of(target).vector_bits.data)
    passes = [found.stages for found in chain.column_passes]
    columns = chain.sizes[chain.columns[-1]]
    vectors = tuple(_vectors(stages, columns, lanes) for stages in passes)
    need_blocks = any(
        has_blocks(stages, columns // (lanes * count), BLOCK)
        for stages, count in zip(passes, vectors, strict=True)
    )
    rows, work = _rows(chain), sum(body_work(stage.op) for stage in chain.stages)
    schedule = RowsSchedule(
        lanes=lanes,
        vectors=vectors,
        block=BLOCK if need_blocks else None,
        grain=grain_of(rows, work * prod(chain.sizes), target.threads.data),
    )
    shape = " x ".join(str(chain.sizes[d]) for d in chain.columns)
    return Choice(
        schedule, f"{rows} rows of {shape} columns; {work} operations a column"
    )


def refuse(chain: RowChain, schedule: RowsSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for a chain."""
    passes = [found.stages for found in chain.column_passes]
    if len(schedule.vectors) != len(passes):
        return f"'vectors' must have {len(passes)} numbers, one for each pass"
    for stages, vectors in zip(passes, schedule.vectors, strict=True):
        if vectors > 1 and any(stage.direction for stage in stages):
            return "a pass that looks for the place of an extreme takes one vector"
    if schedule.grain is not None and not chain.rows:
        return "'grain' must be none: there is one row"
    return lanes_problem(
        schedule.lanes, _register(chain, machine_of(target).vector_bits.data)
    )


def _rows(chain: RowChain) -> int:
    return prod(chain.sizes[d] for d in chain.rows)


def _register(chain: RowChain, vector_bits: int) -> int:
    """Columns of a vector: those of the widest type along the columns fill a register."""
    inner = chain.columns[-1]
    types: Sequence[Attribute] = [
        value.type
        for stage in chain.stages
        if stage.kind != "row" and stage.direction is None
        for value in values_that_vary(
            stage.op, [*stage.inputs, *stage.outputs], chain, inner
        )
        if not is_index_or_bool(value.type)
    ] or [
        memref_of(operand.value).element_type
        for stage in chain.stages
        for operand in stage.inputs
    ]
    return min(lanes_of(type_, vector_bits) for type_ in types)


def _vectors(stages: Sequence[Stage], columns: int, lanes: int) -> int:
    """Vectors per step: several accumulators hide the latency of a reduction."""
    if any(stage.direction for stage in reductions(stages)):
        return 1
    work = sum(body_work(stage.op) for stage in stages)
    most = 1 if work > 40 else 2 if work > 12 else 4
    return max(1, min(most, columns // lanes))


def _reads_table_rows(chain: RowChain, family: str) -> bool:
    """Whether the chain is one reduction of indexed loads that are contiguous along its
    results: vectorised along the columns, they would be gathers."""
    anchors = [op for op in chain.ops if not all(is_parallel(op))]
    loads = [o for o in anchors[0].body.block.ops if isinstance(o, memref.LoadOp)]
    if len(anchors) > 1 or not loads:
        return False
    nests = list(along_results(KernelOps(chain.ops, family)))
    if not nests or len(nests[0].ops) < len(chain.ops):
        return False
    return any(_is_along(nests[0], load.indices[-1]) for load in loads)


def _is_along(found: VectorizableNest, index: SSAValue) -> bool:
    owner = index.owner
    if not isinstance(owner, IndexOp):
        return False
    return found.nest.loops[owner.dim.value.data] == found.loop
