"""Schedules of matrix products: register tiles, Strassen, Winograd's inner product."""

from __future__ import annotations

from devproc.dialects.dev import (
    BlockFloatAttr,
    InnerProductAttr,
    LayoutAttr,
    StrassenAttr,
    WeightOnlyAttr,
)
from devproc.dialects.sched.base import (
    GRAIN,
    Schedule,
    parallel_conflict,
    record_definition,
)
from devproc.dialects.sched.fields import count, counts, flag, nested, word

MOST_VECTORS = 4
"""The largest width of a register tile, in vectors."""

MOST_DIGITS = 3
"""Most bytes of a number of a row: 24 bits, as many as a float32 has."""

WEIGHT = "Layout of the weight; must equal the layout of its memref."
PREFETCH_PANEL = "Whether each tile prefetches its share of the next panel."
PREFETCH_RESULTS = (
    "Indices of the results whose cache lines a tile prefetches before its sum."
)
ACCUMULATORS = (
    "Minimum of independent accumulators of a tile. A tile with fewer (rows x vectors)"
    " is unrolled over up to four terms (streams), whose sums are added at the end."
)
ROWS = "Rows of a tile. Changes digits where tiles are small enough for streams."
CUT = (
    "Cache blocking, `[loop, blocks]`: this loop is split into so many blocks, and the"
    " loop over panels runs in each block. Loops are numbered outermost first, among"
    " those around a tile that do not index the factor with the columns; rows are last."
)
BLOCK = "Maximum terms of a partial sum; longer float sums add the sums of such blocks."
ONE_CHUNK = "1: each block is a chunk of work for a thread; none: single-threaded."


def may_have_streams(rows: int, accumulators: int) -> bool:
    """Whether the shorter tiles, one vector wide, sum several terms at a time.

    Ignores the last tile of packed rows, which may have any number of rows.
    """
    return 2 * max(1, rows - 1) <= accumulators


@record_definition
class RegisterTileSchedule(Schedule):
    """A contraction as tiles of accumulators that stay in registers during the sum.

    Rows are split into the fewest tiles of `rows` or `rows` - 1 rows; tiles of packed
    rows divide a panel, with a tile for the remainder. Columns are split into panels of
    `vectors` vectors; the last panel may be partial and is masked.

    ```mlir
    #sched.register_tile<weight = #dev.layout<[0, 1], [48, 1]>, rows = 7, vectors = 3,
        order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no,
        prefetch_results = [], spread = 2, grain = 1>
    ```
    """

    name = "sched.register_tile"

    weight: LayoutAttr | None = nested(
        "Layout of the packed factor, equal to that of its memref: in panels of columns"
        " or of rows; none: both factors are read unpacked.",
        LayoutAttr,
        optional=True,
    )
    rows: int = count(ROWS)
    vectors: int = count("Width of a tile in vectors.", most=MOST_VECTORS)
    order: str = word(
        "The outer loop: `panels`: over panels of columns, with tiles of rows inside;"
        " `rows`: over tiles of rows, with panels inside.",
        "panels",
        "rows",
    )
    cut: tuple[int, int] | None = counts(CUT, least=0, length=(2, 2), optional=True)
    block: int = count(BLOCK, digits=True)
    accumulators: int = count(ACCUMULATORS, digits=True)
    prefetch_panel: bool = flag(PREFETCH_PANEL)
    prefetch_results: tuple[int, ...] = counts(PREFETCH_RESULTS, least=0)
    spread: int = count(
        "How many of the loops around a tile are parallel, outermost first.", least=0
    )
    grain: int | None = count(GRAIN, optional=True)

    @property
    def fixed(self) -> dict[str, object]:
        fixed = super().fixed
        if may_have_streams(self.rows, self.accumulators):
            fixed |= {"rows": self.rows, "vectors": self.vectors}
        return fixed

    def conflict(self) -> str | None:
        if self.cut is not None and self.order == "rows":
            return "'cut' must be none where 'order' is rows"
        if self.cut is not None and self.cut[1] < 1:
            return "'cut' needs at least one block"
        return parallel_conflict("spread", self.spread > 0, self.grain)


@record_definition
class BlockFloatSchedule(Schedule):
    """A contraction of few rows with a weight in block floating point.

    Register tiles of four vectors of columns, one for each quarter of a panel.

    ```mlir
    #sched.block_float<weight = #dev.block_float<64, 56>, rows = 1, accumulators = 8,
        prefetch_results = [], spread = 1, grain = 4>
    ```
    """

    name = "sched.block_float"

    weight: BlockFloatAttr = nested(WEIGHT, BlockFloatAttr, digits=True)
    rows: int = count(ROWS)
    accumulators: int = count(ACCUMULATORS, digits=True)
    prefetch_results: tuple[int, ...] = counts(PREFETCH_RESULTS, least=0)
    spread: int = count(
        "How many of the loops around a tile are parallel, outermost first.", least=0
    )
    grain: int | None = count(GRAIN, optional=True)

    @property
    def fixed(self) -> dict[str, object]:
        streams = may_have_streams(self.rows, self.accumulators)
        return super().fixed | ({"rows": self.rows} if streams else {})

    def conflict(self) -> str | None:
        return parallel_conflict("spread", self.spread > 0, self.grain)


@record_definition
class Bf16DotSchedule(Schedule):
    """A contraction of bf16 as register tiles over pairs of terms, with sums in f32.

    ```mlir
    #sched.bf16_dot<weight = #dev.layout<[0, 1], [32, 2]>, instruction = yes, rows = 9,
        cut = none, block = 64, accumulators = 8, prefetch_panel = no,
        prefetch_results = [], spread = 2, grain = 1>
    ```
    """

    name = "sched.bf16_dot"

    weight: LayoutAttr = nested(WEIGHT, LayoutAttr)
    instruction: bool = flag(
        "yes: a dot product instruction of the processor, which flushes denormals and"
        " has its own rounding; no: operands are extended to f32.",
        digits=True,
    )
    rows: int = count(ROWS)
    cut: tuple[int, int] | None = counts(CUT, least=0, length=(2, 2), optional=True)
    block: int = count(BLOCK, digits=True)
    accumulators: int = count(ACCUMULATORS, digits=True)
    prefetch_panel: bool = flag(PREFETCH_PANEL)
    prefetch_results: tuple[int, ...] = counts(PREFETCH_RESULTS, least=0)
    spread: int = count(
        "How many of the loops around a tile are parallel, outermost first.", least=0
    )
    grain: int | None = count(GRAIN, optional=True)

    @property
    def fixed(self) -> dict[str, object]:
        streams = may_have_streams(self.rows, self.accumulators)
        return super().fixed | ({"rows": self.rows} if streams else {})

    def conflict(self) -> str | None:
        if self.cut is not None and self.cut[1] < 1:
            return "'cut' needs at least one block"
        return parallel_conflict("spread", self.spread > 0, self.grain)


@record_definition
class InnerProductSchedule(Schedule):
    """A matrix product by Winograd's inner product: half the multiplications.

    Blocks of rows are scaled and copied; each group of panels runs over the tiles of a
    block. Tiles are one vector wide and of equal height; the last may exceed the rows.

    ```mlir
    #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 10, plain_rows = 5,
        scale_rows = 10, tiles = 13, group = 12, prefetch_panel = yes,
        prefetch_results = [], grain = 1>
    ```
    """

    name = "sched.inner_product"

    weight: InnerProductAttr = nested(WEIGHT, InnerProductAttr, digits=True)
    rows: int = count(
        "Rows of a tile; the precision of pairs is decided for each tile.",
        digits=True,
    )
    plain_rows: int = count(
        "Rows multiplied at a time if a tile cannot use pairs; divides `rows`."
    )
    scale_rows: int = count("Rows whose scales are computed before they are copied.")
    tiles: int = count("Tiles of a block of rows.")
    group: int = count("Panels of a group.")
    prefetch_panel: bool = flag(PREFETCH_PANEL)
    prefetch_results: tuple[int, ...] = counts(PREFETCH_RESULTS, least=0)
    grain: int | None = count(ONE_CHUNK, most=1, optional=True)

    def conflict(self) -> str | None:
        if self.rows % self.plain_rows:
            return f"'plain_rows' must divide the {self.rows} rows of a tile"
        if self.scale_rows > self.rows:
            return f"'scale_rows' must be at most the {self.rows} rows of a tile"
        return None


@record_definition
class StrassenSchedule(Schedule):
    """A matrix product by one level of Strassen's algorithm: 7 block products, not 8.

    ```mlir
    #sched.strassen<weight = #dev.strassen<48>, block = 104, rows = 8, slice = 384,
        group = 2, grain = 1>
    ```
    """

    name = "sched.strassen"

    weight: StrassenAttr = nested(WEIGHT, StrassenAttr, digits=True)
    block: int = count(
        "Rows of one block of the left matrix; two blocks form a block of rows, the"
        " last of which may exceed the matrix.",
        digits=True,
    )
    rows: int = count("Rows of a register tile, or one less.")
    slice: int = count(
        "Terms of a product that are summed before they are added to the result;"
        " divides half of the reduction dimension.",
        digits=True,
    )
    group: int = count("Panels of a group, which share each computed sum of blocks.")
    grain: int | None = count(ONE_CHUNK, most=1, optional=True)

    def conflict(self) -> str | None:
        if self.rows > self.block:
            return f"'rows' must be at most the {self.block} rows of a block"
        return None


@record_definition
class WeightOnlySchedule(Schedule):
    """A product with a weight in fewer bits (`#dev.weight_only`), and sums in f32.

    Each number of a row becomes a few signed bytes, which dot product instructions
    multiply with the weight's integers; their sums are exact within a group of terms. Or
    the weight is widened to f32 in registers.

    ```mlir
    #sched.weight_only<weight = #dev.weight_only<int8, 32, 32>, digits = 3, rows = 1,
        block = 1, ahead = 4096, accumulators = 8, row_grain = none, grain = none>
    ```
    """

    name = "sched.weight_only"

    weight: WeightOnlyAttr = nested(WEIGHT, WeightOnlyAttr, digits=True)
    digits: int = count(
        "Signed bytes of a number of a row, which share a scale in each group of terms; 0:"
        " rows stay f32, and the weight is widened.",
        least=0,
        most=MOST_DIGITS,
        digits=True,
    )
    rows: int = count("Most rows of a tile.", digits=True)
    block: int = count("Most rows whose bytes are made at a time.")
    ahead: int = count(
        "Bytes of the weight by which it is prefetched; 0: not.", least=0
    )
    accumulators: int = count(
        "Minimum of independent accumulators of a tile without bytes; a tile with fewer"
        " (rows x vectors) has up to four for each sum.",
        digits=True,
    )
    row_grain: int | None = count(
        "Rows whose bytes are made in one chunk of work for a thread; none: one thread makes"
        " those of all rows.",
        optional=True,
    )
    grain: int | None = count(
        "Panels of one chunk of work for a thread; none: single-threaded.",
        optional=True,
    )


@record_definition
class WidenedPanelsSchedule(Schedule):
    """A product of many rows with a weight in fewer bits (`#dev.weight_only`, or
    `#dev.block_float`), each panel of which is widened to f32 once for all rows of a block.

    Long sums are cut into blocks of terms: the rows are copied and the panels are widened
    block by block, and the sums of blocks are added up in scratch memory.

    ```mlir
    #sched.widened_panels<weight = #dev.weight_only<int8, 32, 32>, block = 768, product =
        #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 8,
        plain_rows = 4, scale_rows = 8, tiles = 16, group = 48, prefetch_panel = no,
        prefetch_results = [], grain = none>>
    ```
    """

    name = "sched.widened_panels"

    weight: WeightOnlyAttr | BlockFloatAttr = nested(
        WEIGHT, WeightOnlyAttr, BlockFloatAttr, digits=True
    )
    block: int = count(
        "Terms that are copied, widened and multiplied at a time; divides those of a sum.",
        digits=True,
    )
    product: InnerProductSchedule = nested(
        "The product of the rows with the widened panels: their layout is its `weight`,"
        " and `group` counts panels of the weight in memory.",
        InnerProductSchedule,
    )


CONTRACTION_SCHEDULES: list[type[Schedule]] = [
    RegisterTileSchedule,
    BlockFloatSchedule,
    Bf16DotSchedule,
    InnerProductSchedule,
    StrassenSchedule,
    WeightOnlySchedule,
    WidenedPanelsSchedule,
]
