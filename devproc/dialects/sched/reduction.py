"""Schedules of reductions along rows, of attention and of resampling."""

from __future__ import annotations

from devproc.dialects.sched.base import GRAIN, Schedule, record_definition
from devproc.dialects.sched.fields import count, counts, flag, word


@record_definition
class RowsSchedule(Schedule):
    """A chain of reductions and pointwise ops over the columns of rows, row by row.

    An op shares the pass over the columns with the one before, unless it needs a value
    of the row that this pass computes. Accumulators are added as a tree, neighbours
    first, then across the lanes.

    ```mlir
    #sched.rows<lanes = 16, vectors = [4, 2], block = 128, grain = 8>
    ```
    """

    name = "sched.rows"

    lanes: int = count("Columns of a vector.", digits=True)
    vectors: tuple[int, ...] = counts(
        "Vectors side by side in each pass over the columns, in order: each has"
        " accumulators of its own.",
        length=(1, None),
        digits=True,
    )
    block: int | None = count(
        "Steps of a pass whose sums are added to outer ones: done by passes of more than"
        " twice as many that reduce, arg extremes excepted; none: by no pass.",
        optional=True,
        digits=True,
    )
    grain: int | None = count(GRAIN, optional=True)


@record_definition
class AttentionSchedule(Schedule):
    """Attention, a tile of queries at a time: scores, exponentials, weighted values.

    The scores of a tile stay in a cache. Queries are split into the fewest tiles of
    `rows` queries or one less.

    ```mlir
    #sched.attention<keys = panels, side = 2, rows = 10, mask = skip, mix = [2], block = 64,
        chunks = 1, grain = 1>
    ```
    """

    name = "sched.attention"

    keys: str = word(
        "How keys are read: `panels`: transposed first, into panels of `side` vectors;"
        " `rows`: as they are, for tiles of one query.",
        "panels",
        "rows",
        digits=True,
    )
    side: int = count("Vectors of keys of a panel.", most=4, digits=True)
    rows: int = count("Queries of a tile.")
    mask: str = word(
        "`skip`: panels of keys that a mask hides are looked for and skipped; `apply`: all"
        " are computed, with or without a mask.",
        "skip",
        "apply",
    )
    mix: tuple[int, ...] = counts(
        "Vectors of values side by side in the last product: in tiles of `rows` queries"
        " and in tiles of one less, a number for each of the two that there are.",
        length=(1, 2),
    )
    block: int = count(
        "Keys of a partial sum of the last product: more add up blocks of at most so many.",
        digits=True,
    )
    chunks: int = count("Parts of the tiles of a head that threads share.")
    grain: int | None = count(
        "1: a head, or a part of it, is a chunk of work for a thread; none: one thread"
        " does all.",
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
class ResampleSchedule(Schedule):
    """A resampling along one axis: each output sums the neighbours that a table names.

    ```mlir
    #sched.resample<way = rows, vectors = 4, pairs = no, grain = 8>
    ```
    """

    name = "sched.resample"

    way: str = word(
        "`rows`: whole rows are weighted and added; `columns`: four rows of 8-bit pixels"
        " of three or four channels at a time, shuffled into lanes.",
        "rows",
        "columns",
    )
    vectors: int = count(
        "Vectors side by side, for which a tap is loaded once.", most=8
    )
    pairs: bool = flag(
        "Whether two taps are multiplied and added at once, where `way` is columns."
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
    AttentionSchedule,
    ResampleSchedule,
]
