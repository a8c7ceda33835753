"""A part of an op's iteration space as a separate op with a simplified body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from devproc.dialects.linalg_ext.generic import LOOP_SIZES
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.program.structured import (
    PARALLEL,
    dim,
    maps_of,
    with_sizes,
    yields_of,
)
from devproc.ir.text.location import copy_location
from devproc.targets.cpu.transforms.loops.access import layout_of
from devproc.targets.cpu.transforms.loops.vector_types import INDEX
from devproc.targets.cpu.transforms.nests.index_ranges import Decided, Place, Ranges


@dataclass(frozen=True)
class PartInput:
    """An input of a part: its value in the body of the whole op, and its indices."""

    old: SSAValue
    value: SSAValue
    map: AffineMap


class LoopPart:
    """One part of an op: its operands, and the ops of the body that it keeps."""

    def __init__(self, op: GenericOp, box: Ranges):
        self.op, self.box = op, box
        self.count = op.get_num_loops()
        self.sizes = [high - low for low, high in (box[d] for d in range(self.count))]
        self.decided = Decided(op.body.block, box)

    @lazy_property
    def inputs(self) -> list[PartInput]:
        """The inputs of the kept part of the body: inputs of the op, then loads at
        affine indices."""
        op, live = self.op, self.live
        arguments, maps = op.body.block.args, maps_of(op)
        found = [
            PartInput(argument, value, self._moved(map_))
            for argument, value, map_ in zip(arguments, op.inputs, maps, strict=False)
            if argument in live
        ]
        return found + [
            PartInput(load.results[0], load.memref, self._map_of(places))
            for load, places in self._elements.items()
        ]

    @lazy_property
    def outputs(self) -> list[PartInput]:
        """The outputs of the op, as the part writes them."""
        op, count = self.op, len(self.op.inputs)
        maps = [self._moved(map_) for map_ in maps_of(op)[count:]]
        arguments = op.body.block.args[count:]
        return [
            PartInput(argument, value, map_)
            for argument, value, map_ in zip(arguments, op.outputs, maps, strict=True)
        ]

    @lazy_property
    def kept(self) -> list[Operation]:
        """The ops of the body that the part keeps; affine indices are rebuilt."""
        return [
            inner
            for inner in self.op.body.block.ops
            if inner.results
            and inner.results[0] in self.live
            and inner not in self._elements
        ]

    def place(self, op: Operation) -> Place | None:
        """The affine index that a kept op computes, if any, in terms of the new
        loops."""
        old = self.decided.places.get(op.results[0])
        if old is None or old.loop is None:
            return old
        offset = old.offset + self.box[old.loop][0] * old.scale
        return Place(old.loop, offset, old.scale)

    def emit(self) -> GenericOp:
        """The op."""
        op, block, new = self.op, Block(), dict[SSAValue, SSAValue]()

        def argument(type_: Attribute) -> SSAValue:
            return block.insert_arg(type_, len(block.args))

        for found in self.inputs:
            new[found.old] = argument(found.old.type)
        for inner in self.kept:
            new[inner.results[0]] = self._copy(inner, block, new)
        values = [self.decided.of(value) for value in yields_of(op)]
        results = [new.get(value, value) for value in values]
        inputs = [(found.value, found.map) for found in self.inputs]
        for found in self.outputs:
            argument(found.old.type)
        block.add_op(YieldOp(*results))
        outputs = [(found.value, found.map) for found in self.outputs]
        part = GenericOp(
            [value for value, _ in inputs],
            [value for value, _ in outputs],
            Region(block),
            [AffineMapAttr(map_) for _, map_ in (*inputs, *outputs)],
            [PARALLEL] * self.count,
        )
        part.attributes |= op.attributes
        part.attributes.pop(LOOP_SIZES, None)
        copy_location(op, part)
        return with_sizes(part, self.sizes)

    @lazy_property
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
        """An affine index in terms of the new loops."""
        if place.loop is None:
            return AffineConstantExpr(place.offset)
        start = self.box[place.loop][0] * place.scale + place.offset
        steps = dim(place.loop) if place.scale == 1 else dim(place.loop) * place.scale
        return steps + start if start else steps

    def _moved(self, map_: AffineMap) -> AffineMap:
        """A map of the old loops in terms of the new ones."""
        moves = [self._index(Place(d, 0)) for d in range(self.count)]
        return map_.replace_dims_and_symbols(moves, [], self.count, 0)

    def _element(self, op: Operation) -> list[Place] | None:
        """The affine indices of a load, if all of them are."""
        if not isinstance(op, memref.LoadOp) or layout_of(op.memref) is not None:
            return None
        places = [self.decided.places.get(self.decided.of(v)) for v in op.indices]
        return None if None in places else [p for p in places if p is not None]

    @lazy_property
    def _elements(self) -> dict[memref.LoadOp, list[Place]]:
        """The loads that become inputs."""
        return {
            inner: places
            for inner in self.op.body.block.ops
            if isinstance(inner, memref.LoadOp)
            and inner.results[0] in self.live
            and (places := self._element(inner)) is not None
        }

    def _map_of(self, places: Sequence[Place]) -> AffineMap:
        """The index of a load that becomes an input."""
        return AffineMap(self.count, 0, tuple(map(self._index, places)))

    # The body.

    def _copy(
        self, op: Operation, block: Block, new: dict[SSAValue, SSAValue]
    ) -> SSAValue:
        """Copy an op of the old body to the new one."""

        def append(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        def number(value: int) -> SSAValue:
            return append(arith.ConstantOp(IntegerAttr(value, INDEX)))

        place = self.place(op)
        if place is None:
            operands = {
                v: new[w] for v in op.operands if (w := self.decided.of(v)) in new
            }
            return append(op.clone(operands))
        if place.loop is None:
            return number(place.offset)
        index = append(IndexOp(place.loop))
        if place.scale != 1:
            index = append(arith.MuliOp(index, number(place.scale)))
        if not place.offset:
            return index
        return append(arith.AddiOp(index, number(place.offset)))
