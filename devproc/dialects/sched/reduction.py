"""Schedules of reductions along rows, of attention and of resampling."""

from __future__ import annotations

from devproc.dialects.sched.base import GRAIN, Schedule, record_definition
from devproc.dialects.sched.contraction import MOST_DIGITS
from devproc.dialects.sched.fields import count, counts, flag, word


@record_definition
class RowsSchedule(Schedule):
    """A chain of reductions and pointwise ops over the columns of rows, row by row.

    An op shares the pass over the columns with its predecessor, unless it needs a row
    value that this pass computes. Accumulators are combined as a tree, neighbours
    first, then across lanes.

    ```mlir
    #sched.rows<lanes = 16, vectors = [4, 2], block = 128, grain = 8>
    ```
    """

    name = "sched.rows"

    lanes: int = count("Columns of a vector.", digits=True)
    vectors: tuple[int, ...] = counts(
        "Unroll factor of each pass over the columns, in vectors; each vector has its"
        " own accumulators.",
        length=(1, None),
        digits=True,
    )
    block: int | None = count(
        "Steps of a pass after which its accumulators are added to outer ones, in"
        " reductions of more than twice as many (but argmin and argmax); none: never.",
        optional=True,
        digits=True,
    )
    grain: int | None = count(GRAIN, optional=True)


@record_definition
class GroupedRowsSchedule(Schedule):
    """A product of rows with matrices that an index picks, matrix by matrix.

    The rows of a matrix are found first. Each column group of it is multiplied with tiles
    of these rows, in vectors along the sum.

    ```mlir
    #sched.grouped_rows<lanes = 16, rows = 6, few_rows = 2, columns = 4, tiles = 10,
        group = 128, prefetch_columns = yes, grain = none>
    ```
    """

    name = "sched.grouped_rows"

    lanes: int = count("Terms of a vector.", digits=True)
    rows: int = count("Rows of a tile.")
    few_rows: int = count(
        "Rows of the tiles after the last whole one; the last may exceed the rows."
    )
    columns: int = count("Columns of a tile.", most=4)
    tiles: int = count("Tiles of a block of rows.")
    group: int = count("Tiles of columns of a group.")
    prefetch_columns: bool = flag(
        "Whether tiles prefetch the next columns of a matrix, of which two whole tiles each"
        " take a share."
    )
    grain: int | None = count(
        "1: each matrix and group of columns is a chunk of work for a thread; none:"
        " single-threaded.",
        most=1,
        optional=True,
    )


@record_definition
class AttentionSchedule(Schedule):
    """Attention, a tile of queries at a time: scores, exponentials, weighted values.

    The scores of a tile stay in cache. Queries are split into the fewest tiles of
    `rows` or `rows` - 1 queries.

    ```mlir
    #sched.attention<keys = panels, side = 2, rows = 10, mask = skip, mix = [2], block = 64,
        chunks = 1, grain = 1>
    ```
    """

    name = "sched.attention"

    keys: str = word(
        "How keys are read: `panels`: transposed into panels of `side` vectors first;"
        " `rows`: in place, for tiles of one query.",
        "panels",
        "rows",
        digits=True,
    )
    side: int = count("Width of a panel of keys in vectors.", most=4, digits=True)
    rows: int = count("Queries of a tile.")
    mask: str = word(
        "`skip`: panels of keys that a mask hides completely are skipped; `apply`: all"
        " panels are computed, with or without a mask.",
        "skip",
        "apply",
    )
    mix: tuple[int, ...] = counts(
        "Width in vectors of the tiles of the last product: for tiles of `rows` and of"
        " `rows` - 1 queries, one number for each of the two that occurs.",
        length=(1, 2),
    )
    block: int = count(
        "Maximum keys of a partial sum of the last product; more are summed in blocks.",
        digits=True,
    )
    chunks: int = count("Parts into which the tiles of a head are split for threads.")
    grain: int | None = count(
        "1: a head, or a part of it, is a chunk of work for a thread; none:"
        " single-threaded.",
        most=1,
        optional=True,
    )

    def conflict(self) -> str | None:
        if self.keys == "rows" and self.rows > 1:
            return "'keys' may be rows for a single query alone"
        if self.grain is None and self.chunks > 1:
            return "'chunks' must be 1 where 'grain' is none"
        return None


@record_definition
class CachedAttentionSchedule(Schedule):
    """Attention over the rows of a cache that are in use, a block of keys at a time.

    Queries are split into the fewest tiles of `rows` or `rows` - 1 queries. After each
    block of keys the sums are rescaled to the largest scores so far.

    ```mlir
    #sched.cached_attention<rows = 7, keys = 16, digits = 0, mix = 2, prefetch = yes,
        parts = 1, grain = 1>
    ```
    """

    name = "sched.cached_attention"

    rows: int = count("Queries of a tile, one lane or more each.", digits=True)
    keys: int = count("Keys of a block, whose scores are kept.", digits=True)
    digits: int = count(
        "Signed bytes of a number of a query, which are multiplied with keys in int8; 0:"
        " keys are widened to f32.",
        least=0,
        most=MOST_DIGITS,
        digits=True,
    )
    mix: int = count("Width in vectors of the tiles of the last product.")
    prefetch: bool = flag(
        "While the keys of a block are read, its values are prefetched, and while they"
        " are read, the keys of the next block."
    )
    parts: int = count(
        "Parts into which the keys in use are split for threads.", digits=True
    )
    grain: int | None = count(
        "1: a tile of a head, or a part of its keys, is a chunk of work for a thread;"
        " none: single-threaded.",
        most=1,
        optional=True,
    )

    def conflict(self) -> str | None:
        if self.grain is None and self.parts > 1:
            return "'parts' must be 1 where 'grain' is none"
        return None


@record_definition
class ResampleSchedule(Schedule):
    """A resampling along one axis: each output is a weighted sum by a table of taps.

    ```mlir
    #sched.resample<way = rows, vectors = 4, pairs = no, grain = 8>
    ```
    """

    name = "sched.resample"

    way: str = word(
        "`rows`: whole rows are weighted and summed; `columns`: four rows at a time of"
        " 8-bit pixels of three or four channels, shuffled into lanes.",
        "rows",
        "columns",
    )
    vectors: int = count(
        "Width of a tile in vectors; a tap is loaded once for a tile.", most=8
    )
    pairs: bool = flag(
        "Whether one instruction multiplies and adds two taps, if `way` is columns."
    )
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        if self.way == "rows" and self.pairs:
            return "'pairs' must be no where 'way' is rows"
        if self.way == "columns" and self.vectors > 1:
            return "'vectors' must be 1 where 'way' is columns"
        return None


REDUCTION_SCHEDULES: list[type[Schedule]] = [
    RowsSchedule,
    GroupedRowsSchedule,
    AttentionSchedule,
    CachedAttentionSchedule,
    ResampleSchedule,
]
