"""Plans an attention over a cache: its tiles, blocks and prefetches, and the threads."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i8

from devproc.algorithms.base import Choice, Decision
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import CachedAttentionSchedule
from devproc.ir.types import item_size
from devproc.targets.cpu.algorithms.cached_attention.integer_scores import EXTENSION
from devproc.targets.cpu.algorithms.cached_attention.nest import CachedAttention
from devproc.targets.cpu.algorithms.weight_only.plan import DIGITS
from devproc.targets.cpu.algorithms.weight_only.row_digits import WORD
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.vector_types import memref_of
from devproc.targets.cpu.transforms.nests.prefetch import is_large
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

KEYS, BYTE_KEYS = 16, 64
"""Keys of a block, and those in int8. So few that the next block arrives in the L2 cache
meanwhile: of 16 to 128, 16 reach the highest rate from memory (Zen 4), in int8 64."""

KEY_BYTES = 4096
"""Most bytes of the keys of a block: with 128 elements of f32, and four rows, a block of 8
keys reaches 0.67 of the rate of memory, of 16 keys 0.57."""

LEAST_KEYS = 128
"""Least keys of a part, of a cache that is full."""

CHUNKS = 4
"""Least chunks of work for each thread, unless they are equal in number."""


def plan(nest: CachedAttention, family: str, target: TargetAttr) -> Decision:
    """The schedule of an attention over a cache; never a refusal."""
    lanes, registers = lanes_of(target), machine_of(target).vector_registers.data
    rows = -(-nest.queries // -(-nest.queries // lanes))
    split = RowSplit.of(nest.queries, rows)
    assert split is not None
    parts, grain = _shares(nest, split, target.threads.data)
    digits = DIGITS[target.precision.data]
    if _why_no_digits(nest, rows, target) is not None:
        digits = 0
    each = lanes if digits else keys_of(rows, lanes)
    schedule = CachedAttentionSchedule(
        rows=rows,
        keys=_block_keys(nest, each),
        digits=digits,
        mix=max(1, min(registers // 2 // rows, -(-nest.values // lanes))),
        prefetch=is_large(nest.scores.inputs[1].value),
        parts=parts,
        grain=grain,
    )
    each = keys_of(rows, lanes)
    text = f"{nest.queries} = {split.text} queries; {each} keys a vector of scores"
    if digits:
        text += f"; {digits} bytes of a query"
    return Choice(schedule, text)


def _block_keys(nest: CachedAttention, each: int) -> int:
    """Keys of a block, which are multiplied `each` at a time."""
    size = item_size(memref_of(nest.scores.inputs[1].value).element_type)
    most = BYTE_KEYS if size == 1 else KEYS
    most = min(most, KEY_BYTES // (nest.depth * size))
    return max(each, most // each * each)


def _why_no_digits(nest: CachedAttention, rows: int, target: TargetAttr) -> str | None:
    """Why queries cannot be split into bytes; None if they can."""
    machine, lanes = machine_of(target), lanes_of(target)
    query, key = nest.scores.inputs[:2]
    types = [memref_of(operand.value).element_type for operand in (query, key)]
    if types != [f32, i8]:
        return "'digits' must be 0 unless queries are float32 and keys int8"
    if machine.vector_bits.data != 512 or not machine.has_extension(EXTENSION):
        return f"'digits' needs a processor with {EXTENSION}"
    if nest.depth % (WORD * lanes):
        return f"'digits' needs whole vectors of {WORD * lanes} bytes, not {nest.depth}"
    depth_loop = len(nest.leading) + 2
    if any(operand.stride(depth_loop) != 1 for operand in (query, key)):
        return "'digits' needs contiguous queries and keys"
    if keys_of(rows, lanes) == 1:
        return f"'digits' needs fewer than {rows} rows: a vector of several keys"
    return None


def lanes_of(target: TargetAttr) -> int:
    """Lanes of a vector of scores."""
    return machine_of(target).vector_bits.data // 32


def lanes_per_row(rows: int) -> int:
    """The next power of two: the rows that a vector of scores has lanes for."""
    return 1 << (rows - 1).bit_length()


def keys_of(rows: int, lanes: int) -> int:
    """The keys of a vector of scores of so many rows."""
    return lanes // lanes_per_row(rows)


def _shares(
    nest: CachedAttention, tiles: RowSplit, threads: int
) -> tuple[int, int | None]:
    """The parts of the keys, and the grain: tiles of heads keep all threads busy, or the
    keys of each are split."""
    chunks = nest.heads * tiles.count
    most = max(1, min(CHUNKS * threads, nest.keys // LEAST_KEYS))
    counts = range(1, most + 1)
    parts = next(
        (
            n
            for n in counts
            if n * chunks % threads == 0 or n * chunks >= CHUNKS * threads
        ),
        most,
    )
    grain = grain_of(chunks * parts, nest.work, threads)
    return (1, None) if grain is None else (parts, 1)


def shared_shapes(
    nest: CachedAttention, schedule: CachedAttentionSchedule, lanes: int
) -> list[tuple[int, ...]]:
    """The shapes of the sums, and of the maxima and totals, of all parts."""
    split = RowSplit.of(nest.queries, schedule.rows)
    assert split is not None
    chunks = nest.heads * split.count * schedule.parts
    width = -(-nest.values // lanes) * lanes
    return [(chunks, schedule.rows, width), (chunks, 2, lanes)]


def refuse(
    nest: CachedAttention, schedule: CachedAttentionSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for an attention over a cache."""
    rows, lanes = schedule.rows, lanes_of(target)
    split = RowSplit.of(nest.queries, rows)
    if split is None:
        return f"'rows': {nest.queries} queries are not tiles of {rows} or {rows - 1}"
    if rows > lanes:
        return f"'rows': a vector of scores has {lanes} lanes"
    each = keys_of(rows, lanes)
    if schedule.digits:
        problem = _why_no_digits(nest, rows, target)
        if problem is not None:
            return problem
        each = lanes
    if schedule.keys % each:
        return f"'keys' must be a multiple of {each}, those of a vector of scores"
    shapes = shared_shapes(nest, schedule, lanes) if schedule.parts > 1 else []
    block = (schedule.keys * lanes_per_row(rows),)
    problem = stack_problem(
        [*shapes, block, (rows, nest.depth + nest.values + lanes * 8)]
    )
    if problem is not None:
        return problem
    if schedule.grain is not None and nest.heads * split.count * schedule.parts == 1:
        return "'grain' must be none: one tile of one head is one chunk of work"
    return None
