"""Blocks of queries and keys of an attention, by the sizes of its heads.

The sizes are those of FlashAttention's and Triton's own kernels, checked against registers,
spills and instructions of the machine code; none is a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import FlashSchedule
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.targets.triton.algorithms.flash.nest import Attention, Band
from devproc.targets.triton.archs import arch_of
from devproc.targets.triton.precision import dot_precision, precision_problem
from devproc.targets.triton.transforms.to_triton.sizes import (
    ceil_div,
    power_of_two,
    size_problem,
)

LARGEST_TF32X3 = 128
"""With larger heads the parts of the factors do not fit the registers."""

SMALL_TF32X3 = 2048
"""Elements of a block of keys whose parts fit the registers twice: in the loop over whole
blocks, and in a step for the keys after them."""

TENSOR_CORE_ROWS = 64
"""Fewer queries have no warp-group instructions on `sm_90`."""

SMALL_BLOCK = 4096
"""Elements of a block of keys beside which a small block of queries does not spill."""

UNROLLED = 4
"""Iterations of a loop that is unrolled: large blocks of factors that are split in three then
spill, and smaller ones are as fast."""

Blocks = tuple[int, int, int, int]
"""Queries, keys, warps and stages."""

BLOCKS: dict[tuple[str, bool], dict[int, Blocks]] = {
    ("half", True): {64: (64, 64, 4, 3), 128: (128, 64, 8, 3), 256: (64, 32, 4, 2)},
    ("half", False): {64: (128, 64, 4, 3), 128: (128, 64, 8, 2), 256: (32, 32, 4, 2)},
    ("tf32x3", True): {64: (64, 64, 4, 2), 128: (64, 16, 4, 2)},
    ("tf32x3", False): {128: (32, 32, 4, 2)},
    ("ieee", True): {64: (64, 32, 4, 2), 128: (64, 32, 8, 2), 256: (32, 16, 8, 2)},
    ("ieee", False): {64: (64, 32, 4, 2), 128: (64, 32, 8, 2), 256: (32, 16, 8, 2)},
}
"""Kind of products, and whether four warps multiply together -> largest head -> blocks."""


def plan(nest: Attention, family: str, target: TargetAttr) -> Decision:
    """A block of queries for each program; never a refusal."""
    schedule = schedule_of(nest, target)
    blocks = ceil_div(nest.row_count, schedule.queries)
    why = f"{nest.heads} heads of {nest.row_count} rows are {nest.heads} x {blocks} programs"
    return Choice(schedule, why)


def schedule_of(nest: Attention, target: TargetAttr) -> FlashSchedule:
    """The blocks of one program."""
    _, keys, depth, values = nest.sizes
    head, arch = max(depth, values), arch_of(target)
    precision, kind = "ieee", "half"
    if nest.element == f32:
        precision = "ieee" if head > LARGEST_TF32X3 else dot_precision(target)
        kind = "ieee" if precision == "ieee" else "tf32x3"
    table = BLOCKS[kind, arch.has_warpgroups]
    queries, key_block, warps, stages = next(
        blocks for most, blocks in table.items() if head <= most
    )
    programs = ceil_div(nest.row_count, queries) * nest.heads
    is_small = programs < arch.processors or nest.row_count <= TENSOR_CORE_ROWS
    if queries > TENSOR_CORE_ROWS and is_small:
        queries, warps = TENSOR_CORE_ROWS, 4
        key_block = min(key_block, SMALL_BLOCK // power_of_two(head))
    is_unrolled = 1 < ceil_div(keys, key_block) <= UNROLLED
    if kind == "tf32x3" and key_block == TENSOR_CORE_ROWS and is_unrolled:
        key_block, stages = key_block // 2, stages + 1
    is_bounded = nest.weighing.bound is not None and nest.row_count > SMALLEST_DOT
    skips = is_bounded or (
        nest.weighing.band != Band() and target.precision.data != "strict"
    )
    if not hides_some(nest) and has_rest(keys, key_block):
        # 32 queries have no warp-group instructions: their factors take registers, too.
        is_small = key_block * head <= SMALL_TF32X3 and head <= TENSOR_CORE_ROWS
        is_deep = stages > 2 and SMALLEST_DOT < nest.row_count < TENSOR_CORE_ROWS
        skips = kind != "tf32x3" or (is_small and not is_deep)
    return FlashSchedule(
        queries=min(queries, max(power_of_two(nest.row_count), SMALLEST_DOT)),
        keys=min(key_block, max(power_of_two(keys), SMALLEST_DOT)),
        warps=warps,
        stages=stages,
        mask="skip" if skips else "apply",
        precision=precision,
    )


def hides_some(nest: Attention) -> bool:
    """Whether the places of keys say which of them are hidden from a query."""
    return nest.weighing.bound is not None or nest.weighing.band != Band()


def may_skip(nest: Attention, key_block: int) -> bool:
    """Whether some blocks of keys need no mask, or need not be computed."""
    return hides_some(nest) or has_rest(nest.sizes[1], key_block)


def has_rest(keys: int, key_block: int) -> bool:
    """Whether some blocks of keys are whole and the last one is not."""
    return keys > key_block and keys % key_block > 0


def offer(nest: Attention, family: str, target: TargetAttr) -> Sequence[FlashSchedule]:
    """Blocks for a tuner: of half, the same and twice the queries and keys, with more or
    fewer stages; two warpgroups for large ones."""
    planned = schedule_of(nest, target)
    return [
        planned.replace(
            queries=queries,
            keys=keys,
            warps=warps,
            stages=stages,
            mask=planned.mask if may_skip(nest, keys) else "apply",
        )
        for queries in around(planned.queries)
        for keys in around(planned.keys)
        for stages in (2, 3)
        for warps in ((4, 8) if queries > TENSOR_CORE_ROWS else (4,))
    ]


def around(size: int) -> tuple[int, ...]:
    """The size, and those next to it that `tl.dot` supports."""
    return tuple(s for s in (size, 2 * size, size // 2) if s >= SMALLEST_DOT)


def refuse(nest: Attention, schedule: FlashSchedule, target: TargetAttr) -> str | None:
    """Why a schedule is not legal for an attention."""
    if (problem := precision_problem(schedule.precision, target)) is not None:
        return problem
    if schedule.mask == "skip" and not may_skip(nest, schedule.keys):
        return "'mask' must be apply: nothing says which keys are hidden"
    *_, depth, values = nest.sizes
    programs = ceil_div(nest.row_count, schedule.queries) * nest.heads
    return (
        size_problem(schedule.queries, schedule.keys, grid=(programs,))
        or size_problem(power_of_two(depth), max(schedule.queries, schedule.keys))
        or size_problem(power_of_two(values), max(schedule.queries, schedule.keys))
    )
