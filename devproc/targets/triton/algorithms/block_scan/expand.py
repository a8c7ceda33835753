"""Programs of scans: several rows, and a loop over the blocks of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.dialects.linalg_ext.scan import ScanOp
from devproc.dialects.sched import BlockScanSchedule
from devproc.ir.types import is_float, item_size
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.algorithms.block_scan.plan import ScanNest
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.kernel import Site
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div
from devproc.targets.triton.transforms.to_triton.space import Axis, Space

Values = Sequence[SSAValue]


def expand(
    nest: ScanNest, schedule: BlockScanSchedule, program: Program, target: TargetAttr
) -> None:
    """The whole kernel: rows along the grid, a loop over the blocks of a row."""
    b, generic, (rows, columns) = program.builder, nest.anchor, nest.sizes
    height, width = schedule.rows, schedule.width
    if not columns:
        return
    program.grid, program.num_warps = (ceil_div(rows, height), 1, 1), schedule.warps
    start = b.mul(b.program_id(0, "pid"), height) if height < rows else 0
    axis = program.block_axis(generic, generic.parallels, start, height, 0, 2, "row")
    scan = Scan(program, generic, nest.op, axis, (height, width))
    if width >= columns:
        scan.block(0, None)
        return
    starts = [
        b.to_shape(b.constant(number.value.data, number.type), (height, 1))
        for number in nest.op.starts
    ]
    b.loop(columns, width, starts, scan.block)


@dataclass
class Scan:
    """One scan over several rows, a block of elements of each at a time."""

    program: Program
    generic: Generic
    op: ScanOp
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
        element = memref_of(op.operand).element_type
        stored = [self.convert(done[0], element), *done[1:]]
        for target, map_, result in zip(
            op.outputs, generic.output_maps, stored, strict=True
        ):
            # Results without uses, such as the positions of a maximum, are not stored.
            if root_of(target) in program.kernel.pointers:
                program.kernel.store(target, map_, site, result)
        return [] if carried is None else list(map(self.last, done))

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
        width = self.shape[1]
        lanes = b.expand(b.arange(width), 1, 2)
        there = b.compare("eq", lanes, b.ssa(width - 1))
        zero = b.constant(0, element_of(value.type))
        total = b.reduce("sum", b.where(there, value, zero), 1)
        return b.cast("trunci", total, element) if is_small else total
