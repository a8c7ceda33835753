"""The passes of a program over the columns of its rows, each with its reductions.

A row that fits a block is read once, and the passes share it; a longer one is read in
blocks by a loop for each pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from devproc.targets.triton.algorithms.block_rows.argmax import match_arg_extreme
from devproc.targets.triton.algorithms.block_rows.chain import Chain
from devproc.targets.triton.algorithms.block_rows.online import online_sums
from devproc.targets.triton.algorithms.block_rows.reducers import (
    ArgReducer,
    CombiningReducer,
    Lanes,
    OnlineReducer,
    Reducer,
)
from devproc.targets.triton.transforms.to_triton.builder import Value
from devproc.targets.triton.transforms.to_triton.flow import Flow
from devproc.targets.triton.transforms.to_triton.generic import Generic
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step

Values = Sequence[SSAValue]


@dataclass(frozen=True)
class Tile:
    """The block of one program: rows, and columns of each. With `columns_first` adjacent
    rows are contiguous in the block."""

    rows: int
    width: int
    columns_first: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the block; that of a single row has one dimension."""
        if self.columns_first:
            return (self.width, self.rows)
        return (self.width,) if self.rows == 1 else (self.rows, self.width)

    @property
    def names(self) -> tuple[str, str]:
        """The names of indices along the grid and along a reduction."""
        return ("column", "row") if self.columns_first else ("row", "column")

    @property
    def row_dim(self) -> int:
        """The dimension of rows, if there are several."""
        return 1 if self.columns_first else 0

    @property
    def column_dim(self) -> int:
        """The dimension that is reduced."""
        return 0 if self.columns_first else len(self.shape) - 1


def early_sums(chain: Chain, tile: Tile, strict: bool) -> dict[int, int]:
    """The sums that run in the pass of a maximum -> its step, by number.

    A row in registers is not read again, and scaled sums are no plain arithmetic.
    """
    is_looped = tile.width < chain.sizes[1]
    return online_sums(chain) if is_looped and not strict else {}


@dataclass
class Passes:
    """Emits the passes of a chain."""

    program: Program
    chain: Chain
    tile: Tile
    early: dict[int, int] = field(init=False)
    levels: list[int] = field(init=False)
    values: dict[int, Values] = field(default_factory=dict[int, Values])
    """The values of rows that are computed so far, by step."""
    rows: Axis = field(init=False)

    def __post_init__(self) -> None:
        chain, b, height = self.chain, self.program.builder, self.tile.rows
        self.early = early_sums(chain, self.tile, self.program.kernel.strict)
        self.levels = chain.levels(self.early)
        rows, _ = chain.sizes
        self.program.grid = (ceil_div(rows, height), 1, 1)
        start = b.mul(b.program_id(0, "pid"), height) if height < rows else 0
        rank = len(self.tile.shape)
        self.rows = self.program.block_axis(
            chain.anchor,
            chain.anchor.parallels,
            start,
            height,
            self.tile.row_dim,
            0 if rank == 1 else rank,
            self.tile.names[0],
        )

    def run(self) -> None:
        """Emit all passes, and between them the ops on the values of rows."""
        b, (_, columns) = self.program.builder, self.chain.sizes
        self.finish_rows(0, {}, {})
        for level in range(self.chain.passes(self.early)):
            reducers = self.reducers(level)

            def block(
                start: Value,
                carried: Values,
                level: int = level,
                reducers: Mapping[int, Reducer] = reducers,
            ) -> list[SSAValue]:
                given = by_reducer(reducers, carried)
                found = self.block(level, reducers, start, given)
                return [v for values in found.values() for v in values]

            if self.tile.width >= columns:
                found = self.block(level, reducers, 0, {})
            else:
                starts = [v for r in reducers.values() for v in r.starts()]
                carried = b.loop(columns, self.tile.width, starts, block)
                found = by_reducer(reducers, carried)
            self.finish_rows(level + 1, reducers, found)

    def reducers(self, level: int) -> dict[int, Reducer]:
        """The reductions of a pass, by step; an early sum is part of its maximum."""
        found: dict[int, Reducer] = {}
        for step in self.chain.steps:
            number, generic = step.number, step.generic
            is_here = generic.reductions and self.levels[number] == level
            if not is_here or number in self.early:
                continue
            extreme = match_arg_extreme(generic)
            if number in self.early.values():
                found[number] = OnlineReducer(self.lanes(generic))
            elif extreme is not None:
                found[number] = ArgReducer(self.lanes(generic), extreme)
            else:
                found[number] = CombiningReducer(self.lanes(generic))
        return found

    def lanes(self, generic: Generic) -> Lanes:
        """The blocks that an op reduces."""
        return Lanes(self.program, generic, self.tile.shape, self.tile.column_dim)

    def block(
        self,
        level: int,
        reducers: Mapping[int, Reducer],
        start: Value,
        accumulators: Mapping[int, Values],
    ) -> dict[int, Values]:
        """One block of a pass: the elementwise ops that it needs, and its reductions;
        returns the accumulators of each. There are none before the only block of a row."""
        chain, program = self.chain, self.program
        columns = program.block_axis(
            chain.anchor,
            chain.anchor.reductions,
            start,
            self.tile.width,
            self.tile.column_dim,
            len(self.tile.shape),
            self.tile.names[1],
        )
        space = Space(program.builder, [self.rows, columns])
        stored = {
            step.number
            for step in chain.steps
            if chain.must_walk(step) and self.levels[step.number] == level
        }
        needed = chain.needed([*reducers, *stored])
        updated = dict[int, Values]()

        def compute(step: Step) -> Values | None:
            if step.number not in needed or step.dims is None:
                return None
            site = Site(program.kernel, space, step.dims)
            if step.number in reducers:
                old = accumulators.get(step.number)
                updated[step.number] = reducers[step.number].update(
                    site, columns.mask, old
                )
                return None
            values = program.kernel.evaluate(step.generic, site)
            if step.number in stored:
                program.store(step, site, values)
            return values

        self.replay(compute)
        return updated

    def finish_rows(
        self,
        level: int,
        reducers: Mapping[int, Reducer],
        accumulators: Mapping[int, Values],
    ) -> None:
        """The reduced values of the passes before a level, and the ops on them."""
        chain, program = self.chain, self.program
        space, sums = Space(program.builder, [self.rows]), dict[int, SSAValue]()

        def compute(step: Step) -> Values | None:
            number, generic = step.number, step.generic
            is_ready = not generic.reductions and self.levels[number] <= level
            if number in reducers:
                site = Site(program.kernel, space, step.dims or ())
                olds = self.olds(step, site)
                values = reducers[number].finish(accumulators[number], olds)
                for total in (n for n, m in self.early.items() if m == number):
                    sums[total] = values.pop()
            elif number in sums:
                site = Site(program.kernel, space, step.dims or ())
                total = CombiningReducer(self.lanes(generic))
                values = total.finish([sums[number]], self.olds(step, site))
            elif step.dims is None or chain.is_elementwise(step) or not is_ready:
                return None
            else:
                site = Site(program.kernel, space, step.dims)
                values = program.kernel.evaluate(generic, site)
            program.store(step, site, values)
            self.values[number] = values
            return values

        self.replay(compute)

    def olds(self, step: Step, site: Site) -> list[SSAValue]:
        """The values that a reduction starts from."""
        outputs = zip(step.generic.outputs, step.generic.output_maps, strict=True)
        return [self.program.kernel.read(value, map_, site) for value, map_ in outputs]

    def replay(self, compute: Callable[[Step], Values | None]) -> None:
        """Go through the steps in order, so that each reads what is written before it.

        `compute` gives the values of a step here; without any, its readers compute it.
        """
        kernel = self.program.kernel
        kernel.flow = Flow(self.chain.nest.arguments, self.chain.anchor)
        for step in self.chain.steps:
            values = self.values.get(step.number)
            if values is None:
                values = compute(step)
            kernel.hold(
                step.generic, None if values is None else step.dims, values or ()
            )


def by_reducer(reducers: Mapping[int, Reducer], carried: Values) -> dict[int, Values]:
    """The accumulators of each reduction, which a loop carries."""
    left, found = list(carried), dict[int, Values]()
    for number, reducer in reducers.items():
        found[number], left = left[: reducer.count], left[reducer.count :]
    return found
