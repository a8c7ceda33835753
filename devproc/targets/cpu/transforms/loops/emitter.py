"""Appends loops to a kernel; callbacks emit their bodies.

Loops are built in a detached block, which then replaces the `linalg` ops that they
implement (`Emitter.replace`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i1, i32, i64
from xdsl.ir import Block, Region, SSAValue

from devproc.targets.cpu.transforms.loops.op_emitter import OpEmitter
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.loops.vector_types import INDEX

GRAIN = "grain"
"""Attribute of `scf.parallel`: the iterations of one chunk of work."""

LoopBody = Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""Emits the body of a loop from its index and carried values; returns the next ones."""


@cache
def _segments(sizes: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, sizes)


class Emitter(OpEmitter):
    """Emits loops and branches."""

    def loop(
        self,
        lower: SSAValue,
        upper: SSAValue,
        step: int,
        carried: Sequence[SSAValue],
        body: LoopBody,
    ) -> Sequence[SSAValue]:
        """`scf.for`; a loop with one iteration is inlined, one with none is omitted."""
        first, last = self.known.get(lower), self.known.get(upper)
        if first is not None and last is not None:
            if last <= first:
                return carried
            if last - first <= step:
                return body(lower, carried)
        types = [value.type for value in carried]
        inside, outside = Block(arg_types=(INDEX, *types)), self.block
        bounds = (lower, upper, self.index(step))
        self.block = inside
        carried_out = body(inside.args[0], inside.args[1:])
        self.emit(scf.YieldOp, carried_out)
        self.block = outside
        operands = (*bounds, *carried)
        return self.emit(scf.ForOp, operands, types, regions=(Region(inside),)).results

    def loop_while(
        self,
        carried: Sequence[SSAValue],
        test: Callable[[Sequence[SSAValue]], tuple[SSAValue, Sequence[SSAValue]]],
        body: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """`scf.while`: the test returns a condition and the values for the body or, if
        the condition is false, the results; the body returns the next values for the
        test.
        """
        outside = self.block
        before = self.block = Block(arg_types=[v.type for v in carried])
        condition, passed = test(before.args)
        self.emit(scf.ConditionOp, (condition, *passed))
        types = [value.type for value in passed]
        after = self.block = Block(arg_types=types)
        self.emit(scf.YieldOp, body(after.args))
        self.block = outside
        regions = (Region(before), Region(after))
        return self.emit(scf.WhileOp, carried, types, regions=regions).results

    def loop_to(self, size: int, body: Callable[[SSAValue], None]) -> None:
        """`scf.for` from 0 to `size` that carries nothing."""
        self.loop_range(0, size, body)

    def loop_range(
        self, lower: int, upper: int, body: Callable[[SSAValue], None]
    ) -> None:
        """`scf.for` between constants that carries nothing."""
        self.loop_between(self.index(lower), self.index(upper), body)

    def loop_between(
        self,
        lower: SSAValue,
        upper: SSAValue,
        body: Callable[[SSAValue], None],
        step: int = 1,
    ) -> None:
        """`scf.for` that carries nothing."""

        def emit_body(i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            body(i)
            return ()

        self.loop(lower, upper, step, (), emit_body)

    def for_each(
        self,
        sizes: Sequence[int],
        grain: int | None,
        body: Callable[[list[SSAValue]], None],
    ) -> None:
        """Emit `body` for each point of the product of `sizes`: in chunks of `grain`
        points that threads share, or sequentially if that is None.
        """
        if grain is not None:
            self.parallel(sizes, grain, body)
            return

        def nest(sizes: Sequence[int], point: list[SSAValue]) -> None:
            if not sizes:
                body(point)
                return
            first, *rest = sizes
            self.loop_to(first, lambda index: nest(rest, [*point, index]))

        nest(sizes, [])

    def tiles(self, split: RowSplit, tile: Callable[[list[SSAValue]], None]) -> None:
        """Emit `tile` for the rows of each register tile: tall ones, then the
        others."""
        self.heights(
            split,
            lambda start, height: tile([self.offset(start, n) for n in range(height)]),
        )

    def heights(self, split: RowSplit, tile: Callable[[SSAValue, int], None]) -> None:
        """The same with the first row of each tile, and the number of rows."""
        self.loop_range(
            0, split.tall, lambda n: tile(self.first_row(split, n), split.height)
        )
        self.loop_range(
            split.tall,
            split.count,
            lambda n: tile(self.first_row(split, n, True), split.rest),
        )

    def rows_of(
        self, split: RowSplit, number: SSAValue, is_short: bool = False
    ) -> list[SSAValue]:
        """The rows of one tile, counted through all tiles."""
        start = self.first_row(split, number, is_short)
        height = split.rest if is_short else split.height
        return [self.offset(start, row) for row in range(height)]

    def first_row(
        self, split: RowSplit, number: SSAValue, is_short: bool = False
    ) -> SSAValue:
        """The first of these rows."""
        height = split.rest if is_short else split.height
        start = self.mul(number, self.index(height))
        moved = split.tall * (split.height - height) if is_short else 0
        return self.offset(start, moved)

    def branch_below(
        self,
        index: SSAValue,
        bound: int,
        then: Callable[[], None],
        otherwise: Callable[[], None],
    ) -> None:
        """`scf.if` on an index below a constant; folded if the index is known."""
        known = self.known.get(index)
        if known is not None:
            (then if known < bound else otherwise)()
            return
        less = arith.CMPI_COMPARISON_OPERATIONS.index("ult")
        operands = (index, self.index(bound))
        condition = self.value(
            arith.CmpiOp, operands, i1, {"predicate": IntegerAttr(less, i64)}
        )
        self.choose(condition, then, otherwise)

    def choose(
        self,
        condition: SSAValue,
        then: Callable[[], None],
        otherwise: Callable[[], None],
    ) -> None:
        """`scf.if` with an else branch."""
        regions: list[Region] = []
        outside = self.block
        for side in (then, otherwise):
            self.block = Block()
            side()
            self.emit(scf.YieldOp)
            regions.append(Region(self.block))
        self.block = outside
        self.emit(scf.IfOp, (condition,), regions=regions)

    def when(self, condition: SSAValue, then: Callable[[], None]) -> None:
        """`scf.if` without an else branch."""
        inside, outside = Block(), self.block
        self.block = inside
        then()
        self.emit(scf.YieldOp)
        self.block = outside
        self.emit(scf.IfOp, (condition,), regions=(Region(inside), Region()))

    def parallel(
        self, sizes: Sequence[int], grain: int, body: Callable[[list[SSAValue]], None]
    ) -> None:
        """`scf.parallel` over the product of `sizes`, `grain` iterations to a chunk."""
        inside, outside = Block(arg_types=[INDEX] * len(sizes)), self.block
        zeros = [self.index(0)] * len(sizes)
        ones = [self.index(1)] * len(sizes)
        uppers = [self.index(size) for size in sizes]
        self.block = inside
        body(list(inside.args))
        self.emit(scf.ReduceOp)
        self.block = outside
        count = len(sizes)
        op = self.emit(
            scf.ParallelOp,
            (*zeros, *uppers, *ones),
            properties={"operandSegmentSizes": _segments((count, count, count, 0))},
            regions=(Region(inside),),
        )
        op.attributes[GRAIN] = IntegerAttr(grain, i64)
