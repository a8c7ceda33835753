"""Plans a product of many rows with a weight in fewer bits."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    TargetAttr,
    WeightOnlyAttr,
    stored_as,
)
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.ir.layouts.inner_product import PARTS, block_terms, column_rows
from devproc.ir.layouts.weight_only import word_terms
from devproc.targets.cpu.algorithms.inner_product.plan import (
    COPY_BYTES,
    LEAST_PANELS,
    early_results,
    sums_shape,
    tiles_and_blocks,
    unknown_results,
    with_kept_sums,
)
from devproc.targets.cpu.algorithms.inner_product.plan import scratch as rows_scratch
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.nests.block_float_layout import LEAST_ROWS
from devproc.targets.cpu.transforms.nests.linear_loops import (
    Product,
    products_with,
)
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

LEAST_LONG_ROWS = 40
"""Fewest rows of sums of several blocks: 24 rows of 5632 terms in bfloat16 take 1.1 of the
time otherwise."""

LEAST_COLUMNS = 64
"""Fewest columns that amortise copying the rows."""

BLOCK_ROWS = 128
"""Rows of a block for which widening takes little of the time."""

LEAST_TERMS, MOST_TERMS = 384, 2048
"""Terms of a block: fewest that amortise adding up the sums of blocks, and most, of which
a panel of two vectors takes 256 KB of an L2 cache."""

FLOAT_BYTES = 4


def match(kernel: KernelOps) -> Iterator[Product]:
    """The products of a kernel whose weight is stored in fewer bits."""
    for layout in (WeightOnlyAttr, BlockFloatAttr):
        yield from map(Product, products_with(kernel, layout))


def narrow_weight(product: Product) -> WeightOnlyAttr | BlockFloatAttr:
    """The layout of the weight of one of these products."""
    memory = product.nest.inputs[1].value
    found = stored_as(memory, WeightOnlyAttr) or stored_as(memory, BlockFloatAttr)
    assert found is not None
    return found


def row_terms(weight: WeightOnlyAttr | BlockFloatAttr) -> int:
    """Terms of a column that are adjacent in memory."""
    return word_terms(weight.stored) if isinstance(weight, WeightOnlyAttr) else 1


def plan(product: Product, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, or why its weight is better widened in registers."""
    lanes = machine_of(target).vector_bits.data // 32
    weight = narrow_weight(product)
    # Without whole vectors `refuse` says why.
    block = terms_of_block(product, weight, lanes)
    terms = block_terms(block, lanes) or PARTS * lanes
    layout = InnerProductAttr.get(lanes, terms)
    panels, *_ = weight.physical_shape((product.columns, product.depth))
    # A block of rows widens all panels, so threads rather share out the panels.
    least_panels = max(1, LEAST_PANELS * lanes // weight.width.data)
    tiles = tiles_and_blocks(product, layout, block, panels, target, least_panels)
    schedule = WidenedPanelsSchedule(weight=weight, block=block, product=tiles)
    if block < product.depth:
        tiles = with_kept_sums(tiles, panels, weight.width.data)
        schedule = schedule.replace(product=tiles)
    problem = refuse(product, schedule, target)
    least = LEAST_ROWS if block == product.depth else LEAST_LONG_ROWS
    if product.rows < least or product.columns < LEAST_COLUMNS:
        problem = f"{product.rows} rows by {product.columns} columns are few"
    elif not machine_of(target).has_separate_adders:
        problem = "additions take as long as multiply-adds"
    why = f"{product.rows} rows in blocks of {tiles.tiles} x {tiles.rows}"
    if block < product.depth:
        why += f"; {product.depth // block} blocks of {block} terms"
    return choice_or_refusal(schedule, why, problem)


def terms_of_block(
    product: Product, weight: WeightOnlyAttr | BlockFloatAttr, lanes: int
) -> int:
    """Terms that are widened at a time: at most those of which a cache holds a panel, and
    the copy of so many rows that widening takes little of the time."""
    unit = lcm(weight.terms.data, lanes)
    if product.depth % unit:
        return product.depth
    whole = product.depth // unit
    sizes = [unit * n for n in range(whole, 0, -1) if whole % n == 0]
    sizes = [size for size in sizes if size >= LEAST_TERMS] or sizes[:1]
    most = COPY_BYTES // (FLOAT_BYTES * min(product.rows, BLOCK_ROWS))
    return next((n for n in sizes if n <= min(most, MOST_TERMS)), sizes[-1])


def scratch(product: Product, schedule: WidenedPanelsSchedule) -> dict[str, list[int]]:
    """The shapes of the scratch memory of a block: that of its rows, and a panel, vector by
    vector; the sums of tiles if those of several blocks of terms are added up."""
    tiles, block = schedule.product, schedule.block
    width = tiles.weight.width.data
    vectors = schedule.weight.width.data // width
    panel = [vectors, column_rows(block, tiles.weight.terms.data), width]
    shapes = {**rows_scratch(block, tiles), "panel": panel}
    if block < product.depth:
        shapes["sums"] = sums_shape(tiles, vectors)
    return shapes


def refuse(
    product: Product, schedule: WidenedPanelsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    weight = narrow_weight(product)
    lanes, layout = machine_of(target).vector_bits.data // 32, schedule.product.weight
    third = layout.terms.data // PARTS
    if schedule.weight != weight:
        return f"'weight' must be that of its memory, {weight}"
    if target.precision.data == "strict":
        return "sums of pairs are not strict"
    if weight.width.data % lanes or layout.width.data != lanes:
        return f"panels of {weight.width.data} columns are no vectors of {lanes}"
    if len(product.nest.reductions) != 1 or product.depth % lanes:
        return f"{product.depth} terms are no single loop of vectors of {lanes}"
    problem = _wrong_block(product, schedule, lanes)
    if problem is not None:
        return problem
    if layout.terms.data % (PARTS * lanes) or third % row_terms(weight):
        return f"thirds of blocks of {layout.terms.data} terms are no whole vectors"
    if layout.terms.data > schedule.block:
        return f"a block has {layout.terms.data} terms, of {schedule.block}"
    if schedule.product.prefetch_panel:
        return "'prefetch_panel': widened panels are in a cache already"
    problem = unknown_results(product, schedule.product)
    return problem or stack_problem(list(scratch(product, schedule).values()))


def _wrong_block(
    product: Product, schedule: WidenedPanelsSchedule, lanes: int
) -> str | None:
    """Why terms cannot be multiplied in such blocks."""
    block, unit = schedule.block, lcm(schedule.weight.terms.data, lanes)
    if block == product.depth:
        return None
    if product.depth % block or block % unit:
        return f"'block' must divide the {product.depth} terms into multiples of {unit}"
    return early_results(schedule.product)
