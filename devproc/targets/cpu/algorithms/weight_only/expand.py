"""Emits a product with a weight in fewer bits: loops over blocks of rows, panels, tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import WeightOnlySchedule
from devproc.targets.cpu.algorithms.weight_only.byte_rows import ByteRows
from devproc.targets.cpu.algorithms.weight_only.dot_products import takes_signed
from devproc.targets.cpu.algorithms.weight_only.layout import VECTORS
from devproc.targets.cpu.algorithms.weight_only.plan import dot_extension, scratch
from devproc.targets.cpu.algorithms.weight_only.row_digits import RowDigits
from devproc.targets.cpu.algorithms.weight_only.tile import sum_digits, sum_widened
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.tile_shapes import RowSplit
from devproc.targets.cpu.transforms.nests.linear_loops import LinearLoops, Product
from devproc.targets.cpu.transforms.nests.nest_emitter import Part, Values
from devproc.targets.cpu.transforms.nests.panel_reader import PanelReader


def expand(
    product: Product,
    schedule: WeightOnlySchedule,
    emitter: Emitter,
    target: TargetAttr,
) -> None:
    """Emit the loops of a product."""
    emitter.location = product.nest.anchor.location
    WeightOnlyLoops(product, schedule, emitter, target).emit()


class WeightOnlyLoops(LinearLoops):
    """The state of one product being emitted."""

    def __init__(
        self,
        product: Product,
        schedule: WeightOnlySchedule,
        emitter: Emitter,
        target: TargetAttr,
    ):
        super().__init__(product, emitter, target)
        self.target = target
        self.schedule, self.width = schedule, schedule.weight.width.data
        self.scratch = scratch(product, schedule)

    def emit(self) -> None:
        """Emit the blocks of rows, and all panels for each."""
        emitter, size = self.emitter, self.schedule.block
        self.nest.view(emitter)
        self.reader = PanelReader(self, self.schedule.weight, self.schedule.ahead)
        self.digits = self._digits()
        whole, rest = divmod(self.rows, size)

        def block(number: SSAValue) -> None:
            self._block(emitter.mul(number, emitter.index(size)), size)

        emitter.loop_to(whole, block)
        if rest:
            self._block(emitter.index(whole * size), rest)

    def _digits(self) -> RowDigits | None:
        """The scratch memory of the bytes of a block; None if rows stay float32."""
        if not self.schedule.digits:
            return None
        memory = {
            name: self.emitter.stack(*shape, element=f32 if name == "scales" else i32)
            for name, shape in self.scratch.items()
        }
        weight, count = self.schedule.weight, self.schedule.digits
        extension = dot_extension(weight, self.target)
        assert extension is not None
        stored = weight.stored
        zero = 0 if takes_signed(stored, extension) else stored.zero
        # Zero points are multiplied with the sums of the bytes themselves.
        times = 1 if stored.has_zeros else zero
        rows = ByteRows if count == 1 else RowDigits
        return rows(self, memory, count, weight.terms.data, times, extension)

    def _block(self, first: SSAValue, count: int) -> None:
        """`count` rows from `first` on: their bytes, then all panels."""
        emitter, digits = self.emitter, self.digits
        if digits is not None:

            def fill(point: list[SSAValue]) -> None:
                self.stand_at(emitter.add(first, point[0]))
                digits.fill(point[0])

            emitter.for_each([count], self.schedule.row_grain, fill)
        split = RowSplit.balanced(count, self.schedule.rows, VECTORS, 1)

        def panel(point: list[SSAValue]) -> None:
            totals = emitter.stack(split.height, self.width)
            emitter.heights(
                split, lambda row, rows: self._tile(first, row, rows, point[0], totals)
            )

        emitter.for_each([self.reader.panels], self.schedule.grain, panel)

    def _tile(
        self,
        first: SSAValue,
        row: SSAValue,
        count: int,
        panel: SSAValue,
        totals: SSAValue,
    ) -> None:
        """`count` rows of a block, from `row` on, times a panel: sums and results."""
        emitter, digits = self.emitter, self.digits
        start = emitter.add(first, row)
        numbers = [emitter.offset(row, number) for number in range(count)]
        if digits is None:
            rows = [emitter.offset(start, number) for number in range(count)]
            self._store(self._widened(rows, panel), totals, emitter.index(0))
        else:
            sums = sum_digits(self.reader, digits, numbers, panel)
            self._store(sums, totals, emitter.index(0))

            def replace(number: SSAValue) -> None:
                """The sums of a row without bytes."""

                def widened() -> None:
                    found = self._widened([emitter.add(start, number)], panel)
                    self._store(found, totals, number)

                is_unusual = digits.is_unusual(emitter.add(row, number))
                emitter.when(is_unusual, widened)

            emitter.loop_to(count, replace)
        column = emitter.mul(panel, emitter.index(self.width))
        whole, last = divmod(self.columns, self.width)

        def finish(columns: int) -> None:
            parts = self.parts(column, columns)
            emitter.loop_to(
                count, lambda n: self._finish(emitter.add(start, n), n, totals, parts)
            )

        if not last:
            finish(self.width)
            return
        emitter.branch_below(
            panel, whole, lambda: finish(self.width), lambda: finish(last)
        )

    def _widened(self, rows: Sequence[SSAValue], panel: SSAValue) -> Values:
        accumulators = self.schedule.accumulators
        return sum_widened(self.reader, self, rows, panel, accumulators)

    def _store(self, sums: Values, totals: SSAValue, first: SSAValue) -> None:
        """Store sums, row by row, vector by vector, from a row of `totals` on."""
        emitter = self.emitter
        for place, value in enumerate(sums):
            row, vector = divmod(place, VECTORS)
            column = emitter.index(vector * self.wide)
            emitter.store_vector(value, totals, (emitter.offset(first, row), column))

    def _finish(
        self, row: SSAValue, number: SSAValue, totals: SSAValue, parts: Sequence[Part]
    ) -> None:
        """The epilogue and the stores of a row."""
        emitter = self.emitter
        self.stand_at(row)
        for position, part in enumerate(parts):
            offset = emitter.index(position * self.lanes)
            value = emitter.load_vector(totals, (number, offset), self.lanes)
            (before,) = self.start(part)
            assert before is not None
            total = emitter.value(arith.AddfOp, (value, part.body.widen(before)))
            self.finish(part, [total])
