"""The parallel loops around the tiles of a nest; a callback emits the tiles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from devproc.dialects.sched import VectorsSchedule
from devproc.targets.cpu.algorithms.vectors.match import parallel_loops
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.nest import Nest

Tile = Callable[[SSAValue, int], None]
"""Emits a tile from its first iteration and its size along the vectorised loop."""


@dataclass
class TileLoops:
    """Loops over the tiles of a nest, each of `step` iterations of the vectorised
    `loop`.

    `outer`: the loops around it. `split`: the loop that is spread over threads, `grain`
    iterations to a chunk. `point`: the current index of each loop, read by the tile.
    `inner`: a parallel loop directly around each tile.
    """

    emitter: Emitter
    sizes: Sequence[int]
    loop: int
    step: int
    outer: Sequence[int]
    split: int | None
    grain: int | None
    point: list[SSAValue]
    inner: int | None = None

    def emit(self, tile: Tile) -> None:
        """Emit all loops around `tile`."""
        self.around(self.outer, lambda: self.along(tile))

    def around(self, loops: Sequence[int], inside: Callable[[], None]) -> None:
        """Emit these loops, nested, around the vectorised one."""
        if not loops:
            inside()
            return
        first, *rest = loops

        def body(index: SSAValue) -> None:
            self.point[first] = index
            self.around(rest, inside)

        grain = self.grain or 1 if first == self.split else None
        self.emitter.for_each(
            [self.sizes[first]], grain, lambda indices: body(*indices)
        )

    def along(self, tile: Tile) -> None:
        """Emit the vectorised loop: whole tiles, then a smaller one."""
        emitter, step = self.emitter, self.step
        whole, rest = divmod(self.sizes[self.loop], step)
        end = emitter.index(whole * step)

        def numbered(indices: Sequence[SSAValue]) -> None:
            self._at(emitter.mul(indices[0], emitter.index(step)), step, tile)

        if self.split == self.loop:
            emitter.parallel([whole], self.grain or 1, numbered)
        else:
            emitter.loop_between(
                emitter.index(0), end, lambda start: self._at(start, step, tile), step
            )
        if rest:
            self._at(end, rest, tile)

    def _at(self, start: SSAValue, size: int, tile: Tile) -> None:
        inner = self.inner
        if inner is None:
            tile(start, size)
            return

        def body(index: SSAValue) -> None:
            self.point[inner] = index
            tile(start, size)

        self.emitter.loop_to(self.sizes[inner], body)


def point_of(
    nest: Nest, emitter: Emitter, fixed: Mapping[int | None, SSAValue]
) -> list[SSAValue]:
    """The initial index of each loop: that of a fixed loop, else 0."""
    point: list[SSAValue] = [emitter.index(0)] * len(nest.sizes)
    for loop, index in fixed.items():
        if loop is not None:
            point[loop] = index
    return point


def loops_of(
    nest: Nest,
    schedule: VectorsSchedule,
    emitter: Emitter,
    point: list[SSAValue],
    fixed: Collection[int | None] = (),
) -> TileLoops:
    """The loops of a nest by a schedule, without those that the caller fixes."""
    within = (schedule.loop, schedule.inner, schedule.crossing, *fixed)
    return TileLoops(
        emitter,
        nest.sizes,
        schedule.loop,
        schedule.lanes * schedule.vectors,
        parallel_loops(nest, *within),
        schedule.split,
        schedule.grain,
        point,
        schedule.inner,
    )
