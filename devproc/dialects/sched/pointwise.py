"""Schedules of nests vectorised along their outputs, and of fills of padding."""

from __future__ import annotations

from devproc.dialects.sched.base import (
    GRAIN,
    Schedule,
    parallel_conflict,
    record_definition,
)
from devproc.dialects.sched.fields import count, nested_list, word

LONG_SUM = (
    "Terms of a block of a long float sum; the sums of blocks are added with"
    " compensated summation (two-sum); none: one plain accumulator."
)
SPLIT = (
    "Index of the loop that is parallelised over threads, among the nest's loops after"
    " merging adjacent ones; none: no loop."
)
RAGGED = (
    "Remainder of a loop that is not a multiple of the vector: `mask`: a masked vector;"
    " `repeat`: a whole vector that overlaps the one before."
)


@record_definition
class VectorsSchedule(Schedule):
    """A nest vectorised along one parallel loop; loops are numbered after merging.

    Tiles are a few vectors wide; sums stay in registers until after the epilogue.

    ```mlir
    #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none,
        ragged = mask, block = none, split = 0, grain = 66>
    ```
    """

    name = "sched.vectors"

    loop: int = count("Index of the vectorised loop.", least=0)
    lanes: int = count(
        "Elements of a vector; it may span several registers, whose operations then"
        " overlap."
    )
    vectors: int = count("Width of a tile in vectors.", most=8)
    inner: int | None = count(
        "Index of a parallel loop inside each tile, to which most of the body is"
        " invariant.",
        least=0,
        optional=True,
    )
    crossing: int | None = count(
        "Index of the loop along which inputs are contiguous: they are loaded along it,"
        " a square of vectors at a time, and transposed in registers.",
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
    """A nest with a short innermost loop, vectorised along the loop around it.

    Each lane is a pixel; channels are computed one by one, then interleaved in
    registers and stored as whole vectors.

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
    """Several ops that write parts of the same rows, fused row by row.

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
        "Index of the loop around the rows that is parallelised over threads; none: no"
        " loop, or the row itself, as each part specifies.",
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
    """A single-threaded fill of the padding around a subdomain that another op writes.

    ```mlir
    #sched.padding<lanes = 16>
    ```
    """

    name = "sched.padding"

    lanes: int = count("Elements of a vector.")


@record_definition
class ElementsSchedule(Schedule):
    """Scalar loops: the fallback for every structured op.

    ```mlir
    #sched.elements<spread = 2, grain = 8>
    ```
    """

    name = "sched.elements"

    spread: int = count("Number of outermost loops that are parallel.", least=0)
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
