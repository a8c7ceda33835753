"""Resampling rows: whole rows are weighted and added, in vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.dialects.sched import ResampleSchedule
from devproc.targets.cpu.algorithms.resample.tap_sum import TapSum
from devproc.targets.cpu.transforms.loops.access import view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import lanes_of
from devproc.targets.cpu.transforms.loops.vector_types import INDEX, memref_of
from devproc.targets.cpu.transforms.nests.nest_emitter import element_types
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody


class TapRows:
    """Emits a resampling along an axis that is not innermost."""

    def __init__(
        self,
        taps: TapSum,
        schedule: ResampleSchedule,
        emitter: Emitter,
        vector_bits: int,
    ):
        self.taps, self.schedule, self.emitter = taps, schedule, emitter
        shape, axis = taps.shape, taps.axis
        self.outer, self.count = prod(shape[:axis]), shape[axis]
        self.inner, self.width = taps.inner, shape[-1]
        old = memref_of(taps.source).get_shape()[axis]
        self.source = view_as(emitter, taps.source, (self.outer, old, self.inner))
        self.target = view_as(
            emitter, taps.target, (self.outer, self.count, self.inner)
        )
        self.lanes = min(
            lanes_of(type_, vector_bits)
            for op in taps.nest.bodies
            for type_ in element_types(op)
        )

    def emit(self) -> None:
        """Emit the loops."""
        rows = [self.outer, self.count]
        self.emitter.for_each(rows, self.schedule.grain, self._row)

    def _row(self, point: list[SSAValue]) -> None:
        emitter, (image, row) = self.emitter, point
        first, table = self.taps.anchor.inputs[:2]
        start = emitter.value(arith.IndexCastOp, (emitter.load(first, (row,)),), INDEX)
        step = self.lanes * self.schedule.vectors
        whole = self.inner // step * step

        def tile(column: SSAValue, size: int) -> None:
            self._tile(image, row, start, table, column, size)

        emitter.loop_between(
            emitter.index(0), emitter.index(whole), lambda c: tile(c, step), step
        )
        if whole < self.inner:
            tile(emitter.index(whole), self.inner - whole)

    def _tile(
        self,
        image: SSAValue,
        row: SSAValue,
        start: SSAValue,
        table: SSAValue,
        column: SSAValue,
        size: int,
    ) -> None:
        """`size` adjacent elements of one row: all taps, then the epilogue."""
        emitter, taps = self.emitter, self.taps
        parts = [
            (
                emitter.offset(column, at),
                VectorBody(
                    emitter, self.lanes, size - at if size - at < self.lanes else 0
                ),
            )
            for at in range(0, size, self.lanes)
        ]
        fill = taps.nest.starts[0]
        assert fill is not None
        carried = [body.widen(fill.inputs[0]) for _, body in parts]

        def add(tap: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            weight = emitter.load(table, (row, tap))
            source = emitter.add(start, tap)
            return [
                weigh(
                    taps,
                    body,
                    taps.pixel.res,
                    body.load(self.source, (image, source, at)),
                    weight,
                    total,
                )
                for (at, body), total in zip(parts, sums, strict=True)
            ]

        zero, end = emitter.index(0), emitter.index(self.width)
        done = emitter.loop(zero, end, 1, carried, add)
        for (at, body), total in zip(parts, done, strict=True):
            body.store(finished(taps, body, total), self.target, (image, row, at))


def weigh(
    taps: TapSum,
    body: VectorBody,
    pixel: SSAValue,
    pixels: SSAValue,
    weight: SSAValue,
    total: SSAValue,
) -> SSAValue:
    """The sums after one more tap; `pixels` is the vector for the body's `pixel`."""
    block = taps.anchor.body.block
    arguments = [None] * len(block.args)
    zero = body.emitter.index(0)
    known = {
        **dict.fromkeys(taps.way_to(pixel), zero),
        pixel: pixels,
        block.args[1]: weight,
        block.args[-1]: total,
    }
    (result,) = body.inline(taps.anchor, arguments, lambda _: zero, known)
    return body.widen(result)


def finished(taps: TapSum, body: VectorBody, total: SSAValue) -> SSAValue:
    """The results of the epilogue for these sums."""
    op = taps.nest.epilogue
    if op is None:
        return total
    (result,) = body.inline(op, (total, None), lambda _: body.emitter.index(0))
    return result
