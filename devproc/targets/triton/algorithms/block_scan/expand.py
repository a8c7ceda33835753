"""Programs of scans: parts of several rows, and a loop over the blocks of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.scan import AnyScanOp, ScanPartsOp, ScanTotalsOp
from devproc.dialects.sched import BlockScanSchedule
from devproc.ir.types import is_float, item_size
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_scan.plan import ScanNest
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, power_of_two
from devproc.targets.triton.transforms.to_triton.space import Axis, Space

Values = Sequence[SSAValue]


def expand(
    nest: ScanNest, schedule: BlockScanSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: parts of rows along the grid, a loop over the blocks of a part."""
    b, generic, op = program.builder, nest.anchor, nest.op
    (rows, columns), parts = nest.sizes, nest.parts
    height, width = schedule.rows, schedule.width
    if not columns:
        return
    grid = ceil_div(rows, height) * parts
    program.grid, program.num_warps = (grid, 1, 1), schedule.warps
    pid = b.program_id(0, "pid") if grid > 1 else 0
    part, begin = b.mod(pid, parts), b.mul(b.div(pid, parts), height)
    axis = program.block_axis(generic, generic.parallels, begin, height, 0, 2, "row")
    scan = Scan(program, generic, op, axis, (height, width))
    if width >= columns:
        scan.block(0, None)
        return
    starts = [
        b.to_shape(b.constant(number.value.data, number.type), (height, 1))
        for number in op.starts
    ]
    if isinstance(op, ScanPartsOp):
        starts = scan.carried_to(part, nest)
    first = b.mul(part, nest.size)
    totals = b.loop(
        nest.size, width, starts, lambda k, values: scan.block(b.add(first, k), values)
    )
    if isinstance(op, ScanTotalsOp):
        scan.store_totals(part, nest, totals)


@dataclass
class Scan:
    """One scan over several rows, a block of elements of each at a time."""

    program: Program
    generic: Generic
    op: AnyScanOp
    rows: Axis
    shape: tuple[int, int]

    def block(self, start: Value, carried: Values | None) -> Values:
        """Scan the elements from `start` on; returns the next carried values.

        Elements past the end of a row come last and do not affect any result.
        """
        program, generic, op, b = self.program, self.generic, self.op, self.b
        columns = program.block_axis(
            generic, generic.reductions, start, self.shape[1], 1, 2, "column"
        )
        site = program.site(generic, Space(b, [self.rows, columns]))
        value = program.kernel.read(op.operand, generic.maps[0], site)
        here = [self.convert(value, op.starts[0].type)]
        if len(op.starts) > 1:
            place = b.ssa(columns.index)
            type_ = op.starts[1].type
            here.append(place if place.type == type_ else b.cast("extsi", place, type_))
        here = [b.to_shape(v, self.shape) for v in here]
        scanned = b.append(triton.ScanOp(here, 1, self.region())).results
        done: Values = list(scanned)
        if carried is not None:
            done = self.combine(site, [*carried, *scanned])
        if not isinstance(op, ScanTotalsOp):
            self.store(site, done)
        return [] if carried is None else list(map(self.last, done))

    def store(self, site: Site, done: Values) -> None:
        """Store the results of a block."""
        op, kernel = self.op, self.program.kernel
        element = memref_of(op.operand).element_type
        stored = [self.convert(done[0], element), *done[1:]]
        for target, map_, result in zip(
            op.outputs, self.generic.output_maps, stored, strict=True
        ):
            # Results without uses, such as the positions of a maximum, are not stored.
            if root_of(target) in kernel.pointers:
                kernel.store(target, map_, site, result)

    def carried_to(self, part: Value, nest: ScanNest) -> Values:
        """What the totals of the parts before one combine to.

        They are the last lanes; those before hold what is carried to the first element.
        """
        b, op = self.b, self.op
        assert isinstance(op, ScanPartsOp)
        lanes = power_of_two(nest.parts - 1)
        places = b.add(b.sub(part, lanes), b.expand(b.arange(lanes), 1, 2))
        there = b.compare("sge", b.ssa(places), b.ssa(0))
        shape = (self.shape[0], lanes)
        here: list[SSAValue] = []
        for total, number in zip(op.totals, op.starts, strict=True):
            offset = self.offset_of_total(places, nest.parts - 1, nest)
            mask = b.both(self.rows.mask, there)
            loaded = b.load(
                self.program.kernel.pointers[root_of(total)],
                offset,
                mask,
                other=number.value.data,
            )
            here.append(b.to_shape(loaded, shape))
        scanned = b.append(triton.ScanOp(here, 1, self.region())).results
        return [self.last(value) for value in scanned]

    def store_totals(self, part: Value, nest: ScanNest, totals: Values) -> None:
        """Store what a part combines to."""
        pointers = self.program.kernel.pointers
        offset = self.offset_of_total(part, nest.parts, nest)
        for target, value in zip(self.op.outputs, totals, strict=True):
            self.b.store(pointers[root_of(target)], offset, value, self.rows.mask)

    def offset_of_total(self, part: Value, count: int, nest: ScanNest) -> Value:
        """Where the total of a part of each row is: the axis has `count` of them."""
        b, row, inner = self.b, self.rows.index, nest.inner
        outer = b.mul(b.div(row, inner), count * inner)
        return b.add(b.add(outer, b.mul(part, inner)), b.mod(row, inner))

    @property
    def b(self) -> BlockBuilder:
        """The builder of ops."""
        return self.program.builder

    def combine(self, site: Site, values: Values) -> list[SSAValue]:
        """The carried values combined with those of the block."""
        body = Body(self.b, site, self.program.kernel.strict)
        return body.run(self.op.body.block, values)

    def region(self) -> Region:
        """The combination on scalars."""
        types = [number.type for number in self.op.starts]
        block = Block(arg_types=types * 2)
        for number, argument in enumerate(block.args):
            argument.name_hint = "before" if number < len(types) else "here"
        builder = BlockBuilder(block, self.b.index_type, exact=self.b.exact)
        site = self.program.site(self.generic, Space(builder, []))
        body = Body(builder, site, self.program.kernel.strict)
        made = body.run(self.op.body.block, block.args)
        block.add_op(triton.YieldOp.create(operands=made))
        return Region(block)

    def convert(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Convert floats to another type; between 16 and 64 bits through f32."""
        old = element_of(value.type)
        if not is_float(element) or old == element:
            return value
        if {item_size(old), item_size(element)} == {2, 8}:
            value = self.b.to_float(value, f32)
        return self.b.to_float(value, element)

    def last(self, value: SSAValue) -> SSAValue:
        """The last element of each row of a block, as a sum of it and zeros."""
        b, element = self.b, element_of(value.type)
        is_small = not is_float(element) and item_size(element) < 4
        if is_small:
            value = b.cast("extsi", value, i32)
        width = shape_of(value.type)[1]
        lanes = b.expand(b.arange(width), 1, 2)
        there = b.compare("eq", lanes, b.ssa(width - 1))
        zero = b.constant(0, element_of(value.type))
        total = b.reduce("sum", b.where(there, value, zero), 1)
        return b.cast("trunci", total, element) if is_small else total
