"""Plans a product with a weight in fewer bits: bytes, tiles, blocks of rows, threads."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import TargetAttr, WeightOnlyAttr
from devproc.dialects.sched import WeightOnlySchedule
from devproc.dialects.sched.contraction import MOST_DIGITS
from devproc.ir.layouts.weight_only import WORD_BITS
from devproc.targets.cpu.algorithms.weight_only.byte_rows import padded_words
from devproc.targets.cpu.algorithms.weight_only.layout import VECTORS, lanes_of
from devproc.targets.cpu.algorithms.weight_only.row_digits import WORD
from devproc.targets.cpu.algorithms.widened_panels.plan import plan as plan_many_rows
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.nests.linear_loops import (
    Product,
    products_with,
    weight_of,
)
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

DOT_EXTENSIONS = {512: ("avx512vnni",), 256: ("avxvnni", "avx2"), 128: ("dotprod",)}
"""Bits of a vector -> the processor features with a dot product of bytes, best first."""

SATURATES = "avx2"
"""Its sums of two products are int16, which holds those of int4 alone."""

MOST_PAIRWISE = 4
"""Most bytes of all rows that are multiplied in pairs (AVX2), by three instructions: int4
with three bytes takes 0.63 of the time of floats with one row, 1.1 with two (Zen 4)."""

DIGITS = {"strict": 0, "default": MOST_DIGITS, "fast": 1}
"""Precision -> bytes of a number of a row; one has an error of 1/254 of the largest number
of a group."""

MOST_BYTE_ROWS = 8
"""Most rows of a tile of one byte: the totals of more leave the registers (Zen 4: 360
GFLOP/s, 12 rows 346)."""

AHEAD_BYTES = 4096
"""How far ahead the weight is prefetched (Zen 5). 2 KB gain less, 8 KB as much."""

FAR_AHEAD_BYTES = 12 * 1024
"""The same on processors that prefetch to their L2 cache (Zen 4), where a cache line of the
weight takes `SLOW_LINE` multiplications. Such a line takes as long as memory, so that the
processor itself does not look far enough ahead: int8 and bfloat16 with two and three rows
take 0.81 of the time without, int4 with one row 0.9. Faster loops take up to 1.5 with."""

SLOW_LINE = 6

NARROW_BITS = 4

WORD_TERMS = 4
"""Terms that a dot product of bytes adds up in a lane."""

ACCUMULATORS = 8
"""Independent sums that hide the latency of a multiply-add."""

TEMPORARIES = 3
"""Registers besides the sums and a row of the panel: of a row, and to widen."""

MANY_ROWS = 64
"""Fewest rows for which a panel is widened once for all rather than multiplied with bytes:
128 rows take 0.9 of the time so, 32 rows 1.15 (Zen 4)."""

COPY_BYTES = 512 * 1024
"""Bytes of the digits of a block of rows, which stay in an L2 cache."""

CHUNK_BYTES = 512 * 1024
"""Bytes of the weight in one chunk of work: 11 % faster than a few large chunks, since
threads do not run at one speed; smaller ones cost more than they gain."""

CHUNKS = 4
"""Fewest chunks for each thread."""

ROW_COLUMNS = 40
"""Columns of a product that take as long as making the bytes of its rows (Zen 4)."""


def match(kernel: KernelOps) -> Iterator[Product]:
    """The products of a kernel whose weight is stored in fewer bits."""
    return map(Product, products_with(kernel, WeightOnlyAttr))


def plan(product: Product, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, also that of `widened_panels` for many rows, or why its
    weight cannot be read."""
    weight = weight_of(product.nest, WeightOnlyAttr)
    problem = _unreadable(product, weight, target)
    if problem is not None:
        return Refusal(problem)
    digits = DIGITS[target.precision.data]
    if why_no_digits(product, weight, target) is not None:
        digits = 0
    elif dot_extension(weight, target) == SATURATES:
        is_slow = digits > 1 and product.rows * digits > MOST_PAIRWISE
        digits = 0 if is_slow else digits
    if digits != 1 and (not digits or product.rows >= MANY_ROWS):
        many_rows = plan_many_rows(product, family, target)
        if isinstance(many_rows, Choice):
            return many_rows
    rows = tile_height(product, digits, target)
    block = product.rows
    if digits:
        most = max(rows, COPY_BYTES // (digits * product.depth))
        block = -(-block // -(-block // most))
    schedule = WeightOnlySchedule(
        weight=weight,
        digits=digits,
        rows=rows,
        block=block,
        ahead=_ahead(weight, digits, product.rows, target),
        accumulators=ACCUMULATORS,
        row_grain=_row_grain(product, digits, block, target),
        grain=_grain(product, weight, target),
    )
    how = f"{digits} bytes of a number" if digits else f"{weight.dtype.data} widened"
    return Choice(
        schedule,
        f"{product.rows} rows in tiles of {rows} by {VECTORS} vectors; {how}",
    )


def why_no_digits(
    product: Product, weight: WeightOnlyAttr, target: TargetAttr
) -> str | None:
    """Why rows cannot be split into bytes; None if they can."""
    if not weight.stored.is_integer:
        return f"'digits' must be 0 for a weight of {weight.dtype.data}"
    if dot_extension(weight, target) is None:
        names = DOT_EXTENSIONS[machine_of(target).vector_bits.data]
        if weight.stored.bits > NARROW_BITS:
            names = [name for name in names if name != SATURATES]
        return f"'digits' needs a processor with {' or '.join(names)}"
    if product.nest.inputs[0].stride(product.nest.reductions[0]) != 1:
        return "'digits' needs contiguous rows"
    return None


def dot_extension(weight: WeightOnlyAttr, target: TargetAttr) -> str | None:
    """The feature by which bytes are multiplied with a weight; None if there is none."""
    machine = machine_of(target)
    for name in DOT_EXTENSIONS[machine.vector_bits.data]:
        fits = name != SATURATES or weight.stored.bits == NARROW_BITS
        if fits and machine.has_extension(name):
            return name
    return None


def tile_height(product: Product, digits: int, target: TargetAttr) -> int:
    """Rows of a tile such that its sums fit the registers. With bytes, those are the sums of
    one group; LLVM keeps those of all groups in memory meanwhile."""
    each = VECTORS * max(1, digits)
    free = machine_of(target).vector_registers.data - VECTORS - TEMPORARIES
    most = MOST_BYTE_ROWS if digits == 1 else product.rows
    return min(product.rows, most, max(1, free // each))


def _ahead(weight: WeightOnlyAttr, digits: int, rows: int, target: TargetAttr) -> int:
    """Bytes by which the weight is prefetched."""
    if machine_of(target).prefetch_level.data == 1:
        return AHEAD_BYTES
    is_slow = line_multiplications(weight, digits, rows) >= SLOW_LINE
    return FAR_AHEAD_BYTES if is_slow else 0


def line_multiplications(weight: WeightOnlyAttr, digits: int, rows: int) -> int:
    """Vector multiplications for a cache line of the weight; conversions of float16, which
    take as long, are counted too."""
    stored = weight.stored
    word_terms = WORD_BITS // stored.bits
    if digits:
        return rows * digits * word_terms // WORD_TERMS
    return (rows + (stored.dtype == "float16")) * word_terms


def _row_grain(
    product: Product, digits: int, block: int, target: TargetAttr
) -> int | None:
    """Rows of a chunk. Those of three bytes are few, as a rule."""
    if digits != 1:
        return None
    work = 2 * block * product.depth * ROW_COLUMNS
    return grain_of(block, work, target.threads.data)


def _grain(product: Product, weight: WeightOnlyAttr, target: TargetAttr) -> int | None:
    """Panels of a chunk."""
    panels, blocks, words = weight.physical_shape((product.columns, product.depth))
    threads = target.threads.data
    least = grain_of(panels, 2 * product.nest.work, threads)
    if least is None:
        return None
    by_size = max(1, CHUNK_BYTES // (4 * blocks * words))
    by_count = max(1, panels // (CHUNKS * threads))
    return max(least, min(by_size, by_count))


def scratch(product: Product, schedule: WeightOnlySchedule) -> dict[str, list[int]]:
    """The shapes of the words of scratch memory of a block of rows: the bytes of its
    numbers, the scales and initial sums of its groups, and whether a row is not finite.
    """
    rows, digits = schedule.block, schedule.digits
    if not digits:
        return {}
    groups, words = product.depth // schedule.weight.terms.data, product.depth // WORD
    # Words of one row are adjacent.
    by_word = [digits, words, *([rows] if rows > 1 else [])]
    return {
        "digits": [rows, padded_words(product.depth)] if digits == 1 else by_word,
        "scales": [groups, rows],
        "starts": [groups, rows, digits],
        "unusual": [rows],
    }


def _unreadable(
    product: Product, weight: WeightOnlyAttr, target: TargetAttr
) -> str | None:
    """Why this target cannot compute a product with this layout of the weight."""
    width, lanes = weight.width.data, lanes_of(target)
    if width != VECTORS * lanes:
        return f"panels of {width} columns are not {VECTORS} vectors of {lanes}"
    if len(product.nest.reductions) != 1:
        return "its terms are no single loop"
    return None


def refuse(
    product: Product, schedule: WeightOnlySchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    weight = weight_of(product.nest, WeightOnlyAttr)
    problem = _unreadable(product, weight, target)
    if problem is None and schedule.digits:
        problem = why_no_digits(product, weight, target)
    if problem is not None:
        return problem
    if schedule.weight != weight:
        return f"'weight' must be that of its memory, {weight}"
    if schedule.block > product.rows:
        return f"'block' must be at most the {product.rows} rows"
    return stack_problem(list(scratch(product, schedule).values()))
