"""Plans a product with picked matrices: tiles of rows and columns, blocks, threads."""

from __future__ import annotations

from math import prod

from devproc.algorithms.base import Decision, choice_or_refusal
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import GroupedRowsSchedule
from devproc.targets.cpu.algorithms.grouped_rows.match import GroupedProduct
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of, lanes_problem
from devproc.targets.cpu.transforms.nests.nest_emitter import lanes_along
from devproc.targets.cpu.transforms.nests.prefetch import is_large
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

LEAST_ROWS = 8
"""Fewest rows; fewer are those of one token."""

LEAST_ROWS_EACH = 1.5
"""Fewest rows of a matrix on average: with one, a second is computed in vain."""

REGISTERS_BESIDE = 8
"""Registers besides the sums: those of the matrix, one of a row, spares."""

FEW_ROWS = 2
"""Rows of the tiles after the last whole one."""

BLOCK_LANES = 4
"""Lanes of a block of a vector; the sums over lanes are those of up to four columns."""

ROWS_BYTES = 256 * 1024
"""Bytes of a block of rows, which stays in an L2 cache while columns are streamed."""

CHUNKS = 2
"""Groups of columns per thread, as all rows may have one matrix."""


def plan(product: GroupedProduct, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, unless most matrices have a row or none."""
    machine, threads = machine_of(target), target.threads.data
    registers, nest = machine.vector_registers.data, product.nest
    columns = min(4 if registers > 16 else 2, product.columns)
    rows = min((registers - REGISTERS_BESIDE) // columns, 6)
    panels = -(-product.columns // columns)
    groups = min(panels, CHUNKS * threads) if threads > 1 else 1
    depth = prod(nest.sizes[loop] for loop in nest.reductions)
    matrices = product.picked.matrices
    schedule = GroupedRowsSchedule(
        lanes=lanes_along(nest, product.inner, machine.vector_bits.data),
        rows=rows,
        few_rows=FEW_ROWS,
        columns=columns,
        tiles=max(1, ROWS_BYTES // (4 * rows * depth)),
        group=-(-panels // groups),
        prefetch_columns=any(is_large(load.memref) for load in product.matrix_loads),
        grain=grain_of(matrices * groups, nest.work, threads) and 1,
    )
    problem = refuse(product, schedule, target)
    if product.rows < max(LEAST_ROWS, LEAST_ROWS_EACH * matrices):
        problem = f"{product.rows} rows for {matrices} matrices are few"
    why = f"{product.rows} rows for {matrices} matrices; tiles of {rows} x {columns}"
    return choice_or_refusal(schedule, why, problem)


def refuse(
    product: GroupedProduct, schedule: GroupedRowsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    if schedule.columns > product.columns:
        return f"'columns' must be at most the {product.columns} of a matrix"
    if schedule.lanes % BLOCK_LANES:
        return f"'lanes' must be a multiple of {BLOCK_LANES}"
    register = lanes_along(
        product.nest, product.inner, machine_of(target).vector_bits.data
    )
    # Numbers of rows have 32 bits, as many as floats.
    return lanes_problem(schedule.lanes, register) or stack_problem([[product.rows]])
