"""Resampling columns of uint8 pixels with three or four channels, in int32.

A vector of 16 lanes holds four rows of four channels. The neighbours of an output are
contiguous in each row, so 16 bytes of each of four rows hold the next five pixels of
three channels; for each pixel, one shuffle within the rows moves the channels to the
lanes and widens them. Taps of int16 are processed in pairs: their pixels are the halves
of a lane, and AVX multiplies and adds both in one instruction. There are no other sums
across lanes, so additions are in the order of the taps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import SSAValue

from devproc.dialects import simd_casts
from devproc.dialects.sched import ResampleSchedule
from devproc.targets.cpu.algorithms.resample.tap_rows import finished, weigh
from devproc.targets.cpu.algorithms.resample.tap_sum import TapSum
from devproc.targets.cpu.transforms.loops.access import view_as
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.vector_types import (
    INDEX,
    memref_of,
    vector_lanes,
    vector_type,
)
from devproc.targets.cpu.transforms.nests.vectorize_body import VectorBody

ROWS = 4
"""Rows that are computed together."""

SLOTS = 4
"""Lanes of a pixel."""

BYTES = 16
"""Bytes of a row per load."""


class TapColumns:
    """Emits a resampling along the columns."""

    def __init__(self, taps: TapSum, schedule: ResampleSchedule, emitter: Emitter):
        self.taps, self.schedule, self.emitter = taps, schedule, emitter
        shape, axis = taps.shape, taps.axis
        self.rows, self.count = prod(shape[:axis]), shape[axis]
        self.channels, self.width = taps.inner, shape[-1]
        old = memref_of(taps.source).get_shape()
        self.source_rows, self.pitch = prod(old[:axis]), old[axis] * self.channels
        self.size = self.source_rows * self.pitch
        self.source = view_as(emitter, taps.source, (self.size,))
        line = self.count * self.channels
        self.target = view_as(emitter, taps.target, (self.rows, line))
        self.at_once = BYTES // self.channels
        """Taps per load."""
        self.body = VectorBody(emitter, ROWS * SLOTS)
        pixel = taps.widened
        assert pixel is not None
        self.pixel = pixel

    def emit(self) -> None:
        """Emit the loop over blocks of four rows; the last one may repeat rows."""
        emitter, blocks = self.emitter, self.rows // ROWS
        emitter.for_each(
            [blocks],
            self.schedule.grain,
            lambda point: self._block(emitter.mul(point[0], emitter.index(ROWS))),
        )
        if self.rows % ROWS:
            self._block(emitter.index(self.rows - ROWS))

    def _block(self, row: SSAValue) -> None:
        """All outputs of four rows."""
        emitter, taps = self.emitter, self.taps
        rows = [emitter.offset(row, r) for r in range(ROWS)]
        sources = rows
        if taps.row_axis is not None:
            listed = taps.anchor.inputs[2]
            sources = [
                emitter.value(arith.IndexCastOp, (emitter.load(listed, (r,)),), INDEX)
                for r in rows
            ]
        starts = [emitter.mul(s, emitter.index(self.pitch)) for s in sources]
        window = self.width * self.channels
        if window >= BYTES:
            self._line(rows, starts, BYTES)
            return
        # 16 bytes from the last pixels on would extend past the end of the image.
        behind = -(-(BYTES - window) // self.pitch)
        lowest = emitter.value(arith.MaxUIOp, (sources[0], sources[1]))
        for source in sources[2:]:
            lowest = emitter.value(arith.MaxUIOp, (lowest, source))
        emitter.branch_below(
            lowest,
            max(0, self.source_rows - behind),
            lambda: self._line(rows, starts, BYTES),
            lambda: self._line(rows, starts, window),
        )

    def _line(
        self, rows: Sequence[SSAValue], starts: Sequence[SSAValue], loaded: int
    ) -> None:
        """The outputs of these rows; `loaded` bytes per load."""
        self.emitter.loop_to(
            self.count, lambda output: self._output(rows, starts, loaded, output)
        )

    def _output(
        self,
        rows: Sequence[SSAValue],
        starts: Sequence[SSAValue],
        loaded: int,
        output: SSAValue,
    ) -> None:
        """One output column of four rows."""
        emitter, body = self.emitter, self.body
        first = self.taps.anchor.inputs[0]
        start = emitter.value(
            arith.IndexCastOp, (emitter.load(first, (output,)),), INDEX
        )
        start = emitter.mul(start, emitter.index(self.channels))
        places = [emitter.add(line, start) for line in starts]
        fill = self.taps.nest.starts[0]
        assert fill is not None
        segments = -(-self.width // self.at_once)

        def segment(index: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            tap = emitter.mul(index, emitter.index(self.at_once))
            return [
                self._segment(places, output, tap, self.at_once, 0, loaded, sums[0])
            ]

        zero, most = emitter.index(0), emitter.index(segments - 1)
        (total,) = emitter.loop(zero, most, 1, [body.widen(fill.inputs[0])], segment)
        tap = (segments - 1) * self.at_once
        # The last load ends with the window and may overlap the one before.
        shift = max(0, tap * self.channels + loaded - self.width * self.channels)
        if self.width * self.channels < BYTES:
            shift = 0
        total = self._segment(
            places, output, emitter.index(tap), self.width - tap, shift, loaded, total
        )
        result = finished(self.taps, body, total)
        at = emitter.mul(output, emitter.index(self.channels))

        def store(lanes: int) -> None:
            for r, row in enumerate(rows):
                part = emitter.shuffle(
                    result, result, range(r * SLOTS, r * SLOTS + lanes)
                )
                emitter.store_vector(part, self.target, (row, at))

        # Lanes past the channels belong to the next output, which is stored later.
        emitter.branch_below(
            output, self.count - 1, lambda: store(SLOTS), lambda: store(self.channels)
        )

    def _segment(
        self,
        places: Sequence[SSAValue],
        output: SSAValue,
        tap: SSAValue,
        count: int,
        shift: int,
        loaded: int,
        total: SSAValue,
    ) -> SSAValue:
        """Add `count` taps from one load of each row, which begins `shift` bytes
        early."""
        emitter, table = self.emitter, self.taps.anchor.inputs[1]
        distance = emitter.mul(tap, emitter.index(self.channels))
        lines: list[SSAValue] = []
        for place in places:
            at = emitter.add(place, distance)
            if shift:
                at = emitter.sub(at, emitter.index(shift))
            lines.append(emitter.load_vector(self.source, (at,), loaded))
        wide = self._side_by_side(lines)
        paired = count // 2 * 2 if self.schedule.pairs else 0
        for t in range(0, paired, 2):
            pixels = self._pixels(wide, t * self.channels + shift, 2)
            place = (output, emitter.offset(tap, t))
            weights = emitter.load_vector(table, place, 2)
            total = self._add_pair(pixels, weights, total)
        for t in range(paired, count):
            pixels = self._pixels(wide, t * self.channels + shift, 1)
            weight = emitter.load(table, (output, emitter.offset(tap, t)))
            total = weigh(self.taps, self.body, self.pixel, pixels, weight, total)
        return total

    def _add_pair(
        self, pixels: SSAValue, weights: SSAValue, total: SSAValue
    ) -> SSAValue:
        """The sums plus the products of two taps, whose pixels are halves of a lane."""
        emitter, lanes = self.emitter, ROWS * SLOTS
        halves = emitter.value(vector.BitcastOp, (pixels,), vector_type(i16, 2 * lanes))
        taps = emitter.shuffle(weights, weights, [0, 1] * lanes)
        wide = vector_type(i32, 2 * lanes)
        factors = [
            emitter.value(simd_casts.ExtSIOp, (v,), wide) for v in (halves, taps)
        ]
        product = emitter.value(arith.MuliOp, factors)
        even, odd = (
            emitter.shuffle(product, product, range(half, 2 * lanes, 2))
            for half in range(2)
        )
        both = emitter.value(arith.AddiOp, (even, odd))
        return emitter.value(arith.AddiOp, (total, both))

    def _side_by_side(self, lines: Sequence[SSAValue]) -> SSAValue:
        """The bytes of four rows, 16 of each."""

        def both(a: SSAValue, b: SSAValue, lanes: int) -> SSAValue:
            have = vector_lanes(a)
            first = [min(i, have - 1) for i in range(lanes)]
            return self.emitter.shuffle(a, b, [*first, *(have + i for i in first)])

        a, b, c, d = lines
        return both(both(a, b, BYTES), both(c, d, BYTES), 2 * BYTES)

    def _pixels(self, wide: SSAValue, offset: int, count: int) -> SSAValue:
        """The channels of one pixel of each row, from this byte on, as int32; or those
        of two pixels as its halves."""
        emitter = self.emitter
        lanes = ROWS * BYTES
        zeros = emitter.number(0, vector_type(i8, lanes))
        mask: list[int] = []
        for row in range(ROWS):
            for slot in range(SLOTS):
                used = slot < self.channels
                place = row * BYTES + offset + slot
                behind = place + self.channels if count == 2 else lanes
                mask += [place, lanes, behind, lanes] if used else [lanes] * 4
        shuffled = emitter.shuffle(wide, zeros, mask)
        return emitter.value(
            vector.BitcastOp, (shuffled,), vector_type(i32, ROWS * SLOTS)
        )
