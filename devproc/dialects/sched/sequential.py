"""Schedules of ops whose iterations have an order: scans, sorts, suppression, scatter."""

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
        "`columns`: vectors of columns, carried down the axis; `squares`: as many rows as"
        " lanes at a time, transposed in registers, so that each lane holds a row.",
        "columns",
        "squares",
    )
    lanes: int = count(
        "Lanes of a vector; more than a register has overlap the latency of long"
        " combinations. Changes digits where `rest` is rows."
    )
    registers: int = count(
        "Vectors that are carried at a time, over all values that a scan carries."
    )
    unroll: bool = flag("Whether the loop along the axis is unrolled.")
    rest: str | None = word(
        "What becomes of the rows that fill no square: `rows`: within a vector by"
        " doubling steps (Hillis and Steele), vector after vector; `square`: a square"
        " that is partly empty; none: there are none.",
        "rows",
        "square",
        digits=True,
        optional=True,
    )
    grain: int | None = count(GRAIN, optional=True)
    rest_grain: int | None = count(
        "The same for the rows that fill no square.", optional=True
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
    """The order of the elements of rows, or of those of some ranks.

    ```mlir
    #sched.sort<by = ranks, vectors = 4, grain = 8>
    ```
    """

    name = "sched.sort"

    by: str = word(
        "`ranks`: each element counts those before it; `digits`: a radix sort;"
        " `insertion`: a sorted list of the first elements; `search`: bisection for the"
        " element of a rank; `first`: the first elements, in the order of memory.",
        "ranks",
        "digits",
        "insertion",
        "search",
        "first",
    )
    vectors: int = count(
        "Vectors of elements that are looked at together: those whose ranks are counted,"
        " that a step of a search counts, or of which one test says whether any of them"
        " is among the first.",
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

    lanes: int = count("Kept boxes that one candidate is compared with at a time.")
    grain: int | None = count(GRAIN, optional=True)


@record_definition
class ScatterSchedule(Schedule):
    """A scatter: updates one after the other, spread over the loops before the axis.

    ```mlir
    #sched.scatter<grain = 8>
    ```
    """

    name = "sched.scatter"

    grain: int | None = count(GRAIN, optional=True)


SEQUENTIAL_SCHEDULES: list[type[Schedule]] = [
    ScanSchedule,
    SortSchedule,
    NmsSchedule,
    ScatterSchedule,
]
