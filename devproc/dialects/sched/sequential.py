"""Schedules of ops with ordered iterations: scan, sort, suppression and scatter."""

from __future__ import annotations

from devproc.dialects.sched.base import GRAIN, Schedule, record_definition
from devproc.dialects.sched.fields import count, flag, word


@record_definition
class ScanSchedule(Schedule):
    """A scan (prefix sum or the like) along one axis.

    ```mlir
    #sched.scan<way = squares, lanes = 16, registers = 1, unroll = no, rest = rows,
        grain = 8, rest_grain = none>
    ```
    """

    name = "sched.scan"

    way: str = word(
        "`columns`: vectors of columns, carried along the axis; `squares`: as many rows"
        " as lanes at a time, transposed in registers, so that each lane holds a row.",
        "columns",
        "squares",
    )
    lanes: int = count(
        "Lanes of a vector; several registers hide the latency of long combinations."
        " Changes digits if `rest` is rows."
    )
    registers: int = count(
        "Vectors that are carried at a time, summed over all carried values."
    )
    unroll: bool = flag("Whether the loop along the axis is unrolled.")
    rest: str | None = word(
        "The remainder of rows that does not fill a square: `rows`: row by row, within"
        " a vector by doubling steps (Hillis and Steele); `square`: a partly empty"
        " square; none: there is no remainder.",
        "rows",
        "square",
        digits=True,
        optional=True,
    )
    grain: int | None = count(GRAIN, optional=True)
    rest_grain: int | None = count(
        "As `grain`, for the remainder of rows.", optional=True
    )

    @property
    def fixed(self) -> dict[str, object]:
        kept = {"lanes": self.lanes} if self.rest == "rows" else {}
        return super().fixed | kept

    def conflict(self) -> str | None:
        if self.way == "columns":
            if self.rest is not None:
                return "'rest' must be none where 'way' is columns"
        elif self.unroll or self.registers > 1:
            return "'unroll' must be no and 'registers' 1 where 'way' is squares"
        if self.rest != "rows" and self.rest_grain is not None:
            return "'rest_grain' must be none where 'rest' is not rows"
        return None


@record_definition
class SortSchedule(Schedule):
    """The order of the elements of rows (argsort), or the elements of some ranks.

    ```mlir
    #sched.sort<by = ranks, vectors = 4, grain = 8>
    ```
    """

    name = "sched.sort"

    by: str = word(
        "`ranks`: the rank of each element, by comparison with all; `digits`: radix"
        " sort; `insertion`: a sorted list of the smallest elements; `search`:"
        " bisection for a rank; `first`: the smallest elements, in memory order.",
        "ranks",
        "digits",
        "insertion",
        "search",
        "first",
    )
    vectors: int = count(
        "Unroll factor in vectors: of the elements whose ranks are counted, that a step"
        " of a search counts, or that one test covers if `by` is first.",
        most=8,
    )
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        if self.vectors > 1 and self.by == "digits":
            return "'vectors' must be 1 where 'by' is digits"
        return None


@record_definition
class NmsSchedule(Schedule):
    """Non-maximum suppression: a heap of candidates, each compared with those kept.

    ```mlir
    #sched.nms<lanes = 16, grain = 1>
    ```
    """

    name = "sched.nms"

    lanes: int = count("Kept boxes that a candidate is compared with at once.")
    grain: int | None = count(GRAIN, optional=True)


@record_definition
class ScatterSchedule(Schedule):
    """A scatter: updates in order, in parallel over the loops before the axis.

    ```mlir
    #sched.scatter<grain = 8, lanes = 16>
    ```
    """

    name = "sched.scatter"

    grain: int | None = count(GRAIN, optional=True)
    lanes: int = count(
        "Elements of a row that replace others at once; 1 where they are combined."
    )


SEQUENTIAL_SCHEDULES: list[type[Schedule]] = [
    ScanSchedule,
    SortSchedule,
    NmsSchedule,
    ScatterSchedule,
]
