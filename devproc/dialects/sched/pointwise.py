"""Schedules of nests along their outputs: vectors, channels, parts of rows, padding."""

from __future__ import annotations

from devproc.dialects.sched.base import (
    GRAIN,
    Schedule,
    parallel_conflict,
    record_definition,
)
from devproc.dialects.sched.fields import count, nested_list, word

LONG_SUM = (
    "Terms of a block of a long float sum, whose blocks are added with the rounding"
    " errors carried along (two-sum); none: one plain accumulator."
)
SPLIT = (
    "Number of the loop whose iterations are spread over threads, of the nest's loops"
    " after adjacent ones were merged; none: no loop."
)
RAGGED = (
    "How the end of a loop that vectors do not divide is done: `mask`: with a masked"
    " vector; `repeat`: with a whole vector that ends there and repeats a few elements."
)


@record_definition
class VectorsSchedule(Schedule):
    """A nest in vectors along one parallel loop; loops are numbered after merging.

    Tiles of a few vectors; sums stay in registers through reduction and epilogue.

    ```mlir
    #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none,
        ragged = mask, block = none, split = 0, grain = 66>
    ```
    """

    name = "sched.vectors"

    loop: int = count("Number of the vectorised loop.", least=0)
    lanes: int = count(
        "Elements of a vector: may be those of several registers, whose operations then"
        " overlap."
    )
    vectors: int = count("Vectors side by side in a tile.", most=8)
    inner: int | None = count(
        "Number of a parallel loop that runs within each tile: most of what the body"
        " computes is the same for all its iterations.",
        least=0,
        optional=True,
    )
    crossing: int | None = count(
        "Number of the loop along which inputs are contiguous: they are read along it, a"
        " square of vectors at a time, and transposed in registers.",
        least=0,
        optional=True,
    )
    ragged: str = word(RAGGED, "mask", "repeat")
    block: int | None = count(LONG_SUM, optional=True, digits=True)
    split: int | None = count(SPLIT, least=0, optional=True)
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        loops = [n for n in (self.loop, self.inner, self.crossing) if n is not None]
        if len(set(loops)) < len(loops):
            return "'loop', 'inner' and 'crossing' must be different loops"
        if self.inner is not None and self.crossing is not None:
            return "either 'inner' or 'crossing' must be none"
        if self.split is not None and self.split in (self.inner, self.crossing):
            return "'split' must be neither the inner nor the crossing loop"
        return parallel_conflict("split", self.split is not None, self.grain)


@record_definition
class ChannelsSchedule(Schedule):
    """A nest whose innermost loop is short, in vectors along the loop around it.

    Each lane is a pixel; its channels are computed one after the other, then interleaved
    in registers and stored as whole vectors.

    ```mlir
    #sched.channels<lanes = 16, ragged = mask, split = 0, grain = 8>
    ```
    """

    name = "sched.channels"

    lanes: int = count("Pixels of a vector.")
    ragged: str = word(RAGGED, "mask", "repeat")
    split: int | None = count(SPLIT, least=0, optional=True)
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        return parallel_conflict("split", self.split is not None, self.grain)


@record_definition
class RowPartsSchedule(Schedule):
    """Several ops that write parts of the same rows: all parts of a row, then the next.

    ```mlir
    #sched.row_parts<
        parts = [#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none,
            crossing = none, ragged = mask, block = none, split = none, grain = none>],
        split = 0, grain = 8>
    ```
    """

    name = "sched.row_parts"

    parts: tuple[VectorsSchedule, ...] = nested_list(
        "Schedule of each op along its row, in the order of the ops.", VectorsSchedule
    )
    split: int | None = count(
        "Number of the loop around the rows that is spread over threads; none: no loop,"
        " or the row itself, as each part says.",
        least=0,
        optional=True,
    )
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        for part in self.parts:
            if part.inner is not None or part.crossing is not None:
                return "a part has no 'inner' and no 'crossing' loop"
            if part.split is not None and self.split is not None:
                return "either the rows or their parts are split, not both"
            if part.split not in (None, part.loop):
                return "a part is split along its row alone"
        return parallel_conflict("split", self.split is not None, self.grain)


@record_definition
class PaddingSchedule(Schedule):
    """A fill of the padding around a box that another op writes, on one thread.

    ```mlir
    #sched.padding<lanes = 16>
    ```
    """

    name = "sched.padding"

    lanes: int = count("Elements of a vector.")


@record_definition
class ElementsSchedule(Schedule):
    """Loops over single elements: the fallback for every structured op.

    ```mlir
    #sched.elements<spread = 2, grain = 8>
    ```
    """

    name = "sched.elements"

    spread: int = count("How many of the outermost loops are parallel.", least=0)
    grain: int | None = count(GRAIN, optional=True)

    def conflict(self) -> str | None:
        return parallel_conflict("spread", self.spread > 0, self.grain)


POINTWISE_SCHEDULES: list[type[Schedule]] = [
    VectorsSchedule,
    ChannelsSchedule,
    RowPartsSchedule,
    PaddingSchedule,
    ElementsSchedule,
]
