"""Plans a product of many rows with a weight in fewer bits."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Decision, KernelOps, choice_or_refusal
from devproc.dialects.dev import InnerProductAttr, TargetAttr, WeightOnlyAttr
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.ir.layouts.inner_product import PARTS, block_terms, column_rows
from devproc.ir.layouts.weight_only import word_terms
from devproc.targets.cpu.algorithms.inner_product.plan import scratch as rows_scratch
from devproc.targets.cpu.algorithms.inner_product.plan import (
    tiles_and_blocks,
    unknown_results,
)
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.transforms.nests.linear_loops import (
    Product,
    products_with,
    weight_of,
)
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

LEAST_ROWS = 24
"""Fewest rows that amortise widening a panel, which takes as long as computing eight."""

LEAST_COLUMNS = 64
"""Fewest columns that amortise copying the rows."""


def match(kernel: KernelOps) -> Iterator[Product]:
    """The products of a kernel whose weight is stored in fewer bits."""
    return map(Product, products_with(kernel, WeightOnlyAttr))


def plan(product: Product, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, or why its weight is better widened in registers."""
    lanes = machine_of(target).vector_bits.data // 32
    weight = weight_of(product.nest, WeightOnlyAttr)
    # Without whole vectors `refuse` says why.
    terms = block_terms(product.depth, lanes) or PARTS * lanes
    layout = InnerProductAttr.get(lanes, terms)
    panels, *_ = weight.physical_shape((product.columns, product.depth))
    tiles = tiles_and_blocks(product, layout, panels, target)
    schedule = WidenedPanelsSchedule(weight=weight, product=tiles)
    problem = refuse(product, schedule, target)
    if product.rows < LEAST_ROWS or product.columns < LEAST_COLUMNS:
        problem = f"{product.rows} rows by {product.columns} columns are few"
    elif not machine_of(target).has_separate_adders:
        problem = "additions take as long as multiply-adds"
    why = f"{product.rows} rows in blocks of {tiles.tiles} x {tiles.rows}"
    return choice_or_refusal(schedule, why, problem)


def scratch(product: Product, schedule: WidenedPanelsSchedule) -> dict[str, list[int]]:
    """The shapes of the scratch memory of a block: that of its rows, and a panel, vector by
    vector."""
    layout = schedule.product.weight
    vectors = schedule.weight.width.data // layout.width.data
    rows = column_rows(product.depth, layout.terms.data)
    panel = [vectors, rows, layout.width.data]
    return {**rows_scratch(product, schedule.product), "panel": panel}


def refuse(
    product: Product, schedule: WidenedPanelsSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    weight = weight_of(product.nest, WeightOnlyAttr)
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
    if layout.terms.data % (PARTS * lanes) or third % word_terms(weight.stored):
        return f"thirds of blocks of {layout.terms.data} terms are no whole vectors"
    if layout.terms.data > product.depth:
        return f"a block has {layout.terms.data} terms, of {product.depth}"
    if schedule.product.prefetch_panel:
        return "'prefetch_panel': widened panels are in a cache already"
    problem = unknown_results(product, schedule.product)
    return problem or stack_problem(list(scratch(product, schedule).values()))
