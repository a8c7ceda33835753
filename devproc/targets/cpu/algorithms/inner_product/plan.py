"""Plans a product: the rows of a tile, blocks of rows and groups of panels."""

from __future__ import annotations

from collections.abc import Iterator

from devproc.algorithms.base import Choice, Decision, KernelOps, Refusal
from devproc.dialects.dev import InnerProductAttr, TargetAttr
from devproc.dialects.sched import InnerProductSchedule
from devproc.ir.layouts.inner_product import PARTS, scale_row
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.processors import CACHED_BYTES
from devproc.targets.cpu.transforms.loops.kernels import grain_of
from devproc.targets.cpu.transforms.nests.linear_loops import (
    Product,
    products_with,
    weight_of,
)
from devproc.targets.cpu.transforms.nests.prefetch import PanelStream, large_results
from devproc.targets.cpu.transforms.nests.scratch import stack_problem

MAX_ROWS = 10
"""Rows of a tile: 16 are 1 % faster and take a third more time to compile."""

REGISTERS_BESIDE = 6
"""Registers besides the sums: three vectors of the panel, two of a pair, a spare."""

TILE_ROWS = 0.5
"""Fixed overhead of a tile, in row equivalents."""

FEW_ROWS = 4
"""Fewest rows of a tile without pairs: they hide the latency of a multiply-add."""

GROUP_BYTES = 16 * 1024
"""Bytes of the rows that are scaled, then copied, at a time: half of an L1 cache."""

COPY_BYTES = 512 * 1024
"""Bytes of the copy of a block of rows, which stays in an L2 cache while the weight is
streamed through it."""

SUMS_BYTES = 384 * 1024
"""Bytes of the sums of several slices, beside the copy of the rows in an L2 cache."""

LEAST_PANELS = 12
"""Panels that amortise the copy of a block of rows, which takes as long as one."""

CHUNKS = 2
"""Chunks of work per thread, as long as these amortise their copies."""


def match(kernel: KernelOps) -> Iterator[Product]:
    """The products of a kernel whose weight is stored for Winograd's inner product."""
    return map(Product, products_with(kernel, InnerProductAttr))


def plan(product: Product, family: str, target: TargetAttr) -> Decision:
    """The schedule of a product, or why its weight cannot be read in whole vectors."""
    weight = weight_of(product.nest, InnerProductAttr)
    problem = _unreadable(product, weight, target)
    if problem is not None:
        return Refusal(problem)
    panels, slices = panels_of(product), weight.slices.data
    depth = product.depth // slices
    schedule = tiles_and_blocks(product, weight, depth, panels, target)
    if slices > 1:
        schedule = with_kept_sums(schedule, panels, weight.width.data)
    rows, tiles, group = schedule.rows, schedule.tiles, schedule.group
    blocks, groups = -(-product.rows // (rows * tiles)), -(-panels // group)
    level = machine_of(target).prefetch_level.data
    if panel_stream(product).pays(tiles, rows, level):
        schedule = schedule.replace(prefetch_panel=True)
    why = (
        f"{product.rows} rows, blocks {blocks} x {tiles} x {rows};"
        f" {panels} panels, groups {groups} x {group};"
        f" {rows} sums fit {machine_of(target).vector_registers.data} registers"
    )
    if slices > 1:
        why += f"; {slices} slices of {depth} terms"
    return Choice(schedule, why)


def tiles_and_blocks(
    product: Product,
    weight: InnerProductAttr,
    depth: int,
    panels: int,
    target: TargetAttr,
    least_panels: int = LEAST_PANELS,
) -> InnerProductSchedule:
    """The schedule of a product with so many panels in memory, `depth` terms of which are
    multiplied at a time; without prefetches of panels. `least_panels`: of a group."""
    threads = target.threads.data
    free = machine_of(target).vector_registers.data - REGISTERS_BESIDE
    rows = even_height(product.rows, min(MAX_ROWS, free))
    tiles, group = parts_of_the_work(
        product, rows, depth, panels, threads, least_panels
    )
    blocks, groups = -(-product.rows // (rows * tiles)), -(-panels // group)
    is_split = grain_of(blocks * groups, 2 * product.nest.work, threads)
    return InnerProductSchedule(
        weight=weight,
        rows=rows,
        plain_rows=next((n for n in range(FEW_ROWS, rows) if rows % n == 0), rows),
        scale_rows=min(rows, max(1, GROUP_BYTES // (4 * depth))),
        tiles=tiles,
        group=group,
        prefetch_panel=False,
        prefetch_results=large_results(product.nest) if product.row_loops else (),
        grain=is_split and 1,
    )


def with_kept_sums(
    schedule: InnerProductSchedule, panels: int, width: int
) -> InnerProductSchedule:
    """The schedule in groups of panels, `width` wide, whose sums stay in a cache while those
    of all slices are added up."""
    most = max(1, SUMS_BYTES // (4 * schedule.tiles * schedule.rows * width))
    even = -(-panels // -(-panels // most))
    return schedule.replace(group=min(schedule.group, even), prefetch_results=())


def even_height(rows: int, most: int) -> int:
    """The height of all tiles, at most `most`; the last one may extend past the last
    row. Minimises the excess rows, where each tile has an overhead of `TILE_ROWS` rows.
    """
    heights = range(1, min(rows, most) + 1)
    return min(heights, key=lambda h: (-(-rows // h) * (h + TILE_ROWS), -h))


def parts_of_the_work(
    product: Product,
    rows: int,
    depth: int,
    panels: int,
    threads: int,
    least_panels: int,
) -> tuple[int, int]:
    """Tiles of a block of rows, and panels of a group.

    Each group copies the rows again and each block of rows reads the whole weight
    again, which is free if the weight stays in a core's private cache.
    """
    all_tiles = -(-product.rows // rows)
    most = max(1, COPY_BYTES // (4 * rows * depth))
    blocks, groups = -(-all_tiles // most), 1
    wanted = CHUNKS * threads if threads > 1 else 1
    if 4 * product.columns * product.depth > CACHED_BYTES:
        groups = min(-(-wanted // blocks), max(1, panels // least_panels))
    blocks = max(blocks, min(all_tiles, -(-wanted // groups)))
    return -(-all_tiles // blocks), -(-panels // groups)


def panels_of(product: Product) -> int:
    """The number of panels of the weight; the last one may be padded."""
    width = weight_of(product.nest, InnerProductAttr).width.data
    return -(-product.columns // width)


def panel_stream(product: Product) -> PanelStream:
    """The panels of the weight, for prefetching."""
    weight = weight_of(product.nest, InnerProductAttr)
    slices, terms = weight.slices.data, weight.terms.data
    depth = product.depth // slices
    size = (scale_row(depth, terms) + 2) * weight.width.data
    steps = depth // terms * terms // PARTS
    memory = product.nest.inputs[1].value
    return PanelStream(memory, slices * panels_of(product), size, steps)


def scratch(depth: int, schedule: InnerProductSchedule) -> dict[str, list[int]]:
    """The shapes of the scratch buffers of a block: the scaled rows of `depth` terms, their
    statistics, and the sums of a tile."""
    tiles, rows, terms = schedule.tiles, schedule.rows, schedule.weight.terms.data
    blocks, rest = divmod(depth, terms)
    return {
        "copy": [tiles, blocks, rows, terms],
        "pair_sums": [tiles, blocks, rows],
        **({"copy_of_rest": [tiles, rows, rest]} if rest else {}),
        "inverses": [tiles, rows],
        "scales": [rows],
        "spreads": [tiles],
        "totals": [rows, schedule.weight.width.data],
    }


def sums_shape(schedule: InnerProductSchedule, vectors: int = 1) -> list[int]:
    """The shape of the sums of a block of rows and a group of panels of so many vectors, to
    which those of each slice are added."""
    width = schedule.weight.width.data
    return [schedule.group * vectors, schedule.tiles, schedule.rows, width]


def _unreadable(
    product: Product, weight: InnerProductAttr, target: TargetAttr
) -> str | None:
    """Why this target cannot compute a product with this layout of the weight."""
    if target.precision.data == "strict":
        return "sums of pairs are not strict"
    wide, nest = machine_of(target).vector_bits.data // 32, product.nest
    line, terms = nest.sizes[nest.reductions[-1]], weight.terms.data
    depth = product.depth // weight.slices.data
    if weight.width.data != wide:
        return f"panels of {weight.width.data} columns are no vectors of {wide}"
    if terms % (PARTS * wide):
        return (
            f"blocks of {terms} terms are no {PARTS} parts of whole vectors of {wide}"
        )
    if line % wide:
        return f"lines of {line} terms are no whole vectors of {wide}"
    if depth % wide:
        return f"slices of {depth} terms are no whole vectors of {wide}"
    return None


def refuse(
    product: Product, schedule: InnerProductSchedule, target: TargetAttr
) -> str | None:
    """Why a schedule is not legal for a product."""
    weight = weight_of(product.nest, InnerProductAttr)
    problem = _unreadable(product, weight, target)
    if problem is not None:
        return problem
    if schedule.weight != weight:
        return f"'weight' must be that of its memory, {weight}"
    slices = weight.slices.data
    shapes = list(scratch(product.depth // slices, schedule).values())
    problem = unknown_results(product, schedule)
    if slices > 1:
        shapes.append(sums_shape(schedule))
        problem = problem or early_results(schedule)
    return problem or stack_problem(shapes)


def unknown_results(product: Product, schedule: InnerProductSchedule) -> str | None:
    """Which results cannot be prefetched."""
    results = len(product.nest.results) if product.row_loops else 0
    if any(number >= results for number in schedule.prefetch_results):
        return f"'prefetch_results': there are {results} results of several rows"
    return None


def early_results(schedule: InnerProductSchedule) -> str | None:
    """Why results cannot be prefetched by the tiles of each slice."""
    if schedule.prefetch_results:
        return "'prefetch_results': results follow the last slice of terms"
    return None
