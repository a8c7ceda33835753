"""A part of an op's iterations as an op of its own, with a body that knows where it is."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, i1
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from devproc.ir.program.structured import (
    PARALLEL,
    dim,
    front,
    maps_of,
    unsized_loops,
    yields_of,
)
from devproc.ir.text.location import copy_location
from devproc.transforms.schedules.index_ranges import Decided, Place, Ranges
from devproc.transforms.cpu.loops.access import layout_of
from devproc.transforms.cpu.loops.vector_types import INDEX, memref_of


def part_of_loops(op: GenericOp, box: Ranges) -> list[Operation]:
    """The iterations of an op within a box, with the memory that gives loops their size."""
    return LoopPart(op, box).emit()


class LoopPart:
    """One part being made: its operands, and the body over them."""

    def __init__(self, op: GenericOp, box: Ranges):
        self.op, self.box = op, box
        self.count = op.get_num_loops()
        self.sizes = [high - low for low, high in (box[d] for d in range(self.count))]
        self.decided = Decided(op.body.block, box)
        self.block = Block()
        self.inputs: list[tuple[SSAValue, AffineMap]] = []
        self.new: dict[SSAValue, SSAValue] = {}

    def emit(self) -> list[Operation]:
        """The ops, in order."""
        op, count = self.op, len(self.op.inputs)
        maps = [self._moved(map_) for map_ in maps_of(op)]
        arguments = op.body.block.args
        outputs = list(zip(op.outputs, maps[count:], strict=True))
        live = self.live()
        for argument, value, map_ in zip(arguments, op.inputs, maps, strict=False):
            if argument in live:
                self.new[argument] = self._input(value, map_)
        for inner in op.body.block.ops:
            if inner.results and inner.results[0] in live:
                self._copy(inner)
        values = [self.decided.of(value) for value in yields_of(op)]
        results = [self.new.get(value, value) for value in values]
        before = self._give_sizes([map_ for _, map_ in outputs])
        for argument, (value, _) in zip(arguments[count:], outputs, strict=True):
            place = len(self.block.args)
            self.new[argument] = self.block.insert_arg(argument.type, place)
        self.block.add_op(YieldOp(*results))
        part = GenericOp(
            [value for value, _ in self.inputs],
            [value for value, _ in outputs],
            Region(self.block),
            [AffineMapAttr(map_) for _, map_ in (*self.inputs, *outputs)],
            [PARALLEL] * self.count,
        )
        part.attributes |= op.attributes
        for new in (*before, part):
            copy_location(op, new)
        return [*before, part]

    def live(self) -> set[SSAValue]:
        """The values of the body that its results need."""
        found: set[SSAValue] = set()
        stack = [self.decided.of(value) for value in yields_of(self.op)]
        while stack:
            value = stack.pop()
            if value in found:
                continue
            found.add(value)
            owner = value.owner
            if isinstance(owner, Operation) and owner.parent is self.op.body.block:
                places = self._element(owner)
                if places is None and value not in self.decided.places:
                    stack += [self.decided.of(operand) for operand in owner.operands]
        return found

    # Indices.

    def _index(self, place: Place) -> AffineExpr:
        """A place as an index of the new loops."""
        if place.loop is None:
            return AffineConstantExpr(place.offset)
        start = self.box[place.loop][0] * place.scale + place.offset
        steps = dim(place.loop) if place.scale == 1 else dim(place.loop) * place.scale
        return steps + start if start else steps

    def _moved(self, map_: AffineMap) -> AffineMap:
        """A map of the old loops as one of the new ones."""
        return AffineMap(
            self.count, 0, tuple(self._moved_index(e) for e in map_.results)
        )

    def _moved_index(self, expr: AffineExpr) -> AffineExpr:
        moves = [self._index(Place(d, 0)) for d in range(self.count)]
        sizes = self.op.get_static_loop_ranges()
        new = expr.replace_dims_and_symbols(moves, [])
        for loop, (low, high) in self.box.items():
            if expr == dim(loop) and low == 0 and high < sizes[loop]:
                return front(loop)
        return new

    def _element(self, op: Operation) -> list[Place] | None:
        """Where a load reads, if that is at places of the loops."""
        if not isinstance(op, memref.LoadOp) or layout_of(op.memref) is not None:
            return None
        places = [self.decided.places.get(self.decided.of(v)) for v in op.indices]
        return None if None in places else [p for p in places if p is not None]

    # The body.

    def _input(self, value: SSAValue, map_: AffineMap) -> SSAValue:
        self.inputs.append((value, map_))
        element = value.type
        if isinstance(element, MemRefType):
            element = memref_of(value).element_type
        return self.block.insert_arg(element, len(self.inputs) - 1)

    def _copy(self, op: Operation) -> None:
        """An op of the old body in the new one."""
        (result,) = op.results
        place = self.decided.places.get(result)
        if place is not None:
            self.new[result] = self._place(place)
            return
        element = self._element(op)
        if element is None:
            operands = {
                v: self.new[w]
                for v in op.operands
                if (w := self.decided.of(v)) in self.new
            }
            self.new[result] = self._append(op.clone(operands))
            return
        assert isinstance(op, memref.LoadOp)
        shape = memref_of(op.memref).get_shape()
        results = tuple(
            front(p.loop)
            if (e := self._index(p)) == dim(p.loop or 0)
            and p.loop is not None
            and self.sizes[p.loop] < size
            else e
            for p, size in zip(element, shape, strict=True)
        )
        self.new[result] = self._input(op.memref, AffineMap(self.count, 0, results))

    def _place(self, place: Place) -> SSAValue:
        """A place as a value."""
        number = place.offset
        if place.loop is None:
            return self._number(number)
        number += self.box[place.loop][0] * place.scale
        index = self._append(IndexOp(place.loop))
        if place.scale != 1:
            index = self._append(arith.MuliOp(index, self._number(place.scale)))
        return (
            self._append(arith.AddiOp(index, self._number(number))) if number else index
        )

    def _number(self, value: int) -> SSAValue:
        return self._append(arith.ConstantOp(IntegerAttr(value, INDEX)))

    def _append(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def _give_sizes(self, written: list[AffineMap]) -> list[Operation]:
        """Memory that nothing reads, for loops that index nothing alone."""
        maps = [*(map_ for _, map_ in self.inputs), *written]
        found: list[Operation] = []
        for loop in unsized_loops(maps, self.count):
            sizes = memref.AllocaOp.get(i1, shape=[self.sizes[loop]])
            self._input(sizes.memref, AffineMap(self.count, 0, (dim(loop),)))
            found.append(sizes)
        return found
