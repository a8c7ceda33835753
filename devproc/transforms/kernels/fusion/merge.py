"""Merges pointwise ops on one domain into one, which passes scalars between bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.ir.program.structured import (
    SOURCES,
    Generic,
    is_parallel,
    is_slice,
    make_generic,
    maps_of,
    sources_attribute,
    sources_of,
    yields_of,
)
from devproc.ir.text.location import fuse_locations
from devproc.ir.types import tensor_of
from devproc.transforms.kernels.fusion.alignment import moved
from devproc.transforms.kernels.fusion.groups import Group


def is_used_outside(value: SSAValue, members: Collection[Operation]) -> bool:
    """Whether an op other than these, or nested in another op, reads the value."""
    block = value.owner.parent if isinstance(value.owner, Operation) else None
    for use in value.uses:
        user: Operation | None = use.operation
        while user is not None and user.parent is not block:
            user = user.parent_op()
        if user not in members:
            return True
    return False


class MergedBody:
    """The merged body of pointwise ops, over the first `count` loops of a group."""

    def __init__(self, group: Group, count: int):
        self.group = group
        self.count = count
        self.block = Block()
        self.inputs: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
        """The block argument of each tensor and indexing map that is read."""
        self.scalars: dict[SSAValue, SSAValue] = {}
        """The element that the current iteration computes of each tensor."""

    def read(self, value: SSAValue, map_: AffineMap) -> SSAValue:
        """The element of a tensor that is computed outside."""
        if (value, map_) not in self.inputs:
            element = tensor_of(value).element_type
            argument = self.block.insert_arg(element, len(self.block.args))
            self.inputs[value, map_] = argument
        return self.inputs[value, map_]

    def add(self, op: Generic) -> None:
        """Append the body of a member."""
        loops = self.group.loops[op]
        local: dict[SSAValue, SSAValue] = {}
        arguments = zip(op.inputs, maps_of(op), op.body.block.args, strict=False)
        for value, map_, argument in arguments:
            known = self.scalars.get(value)
            local[argument] = known or self.read(value, moved(map_, loops, self.count))
        clone_body(op, self.block, local, loops)
        for result, yielded in zip(op.results, yields_of(op), strict=True):
            self.scalars[result] = local[yielded]

    def finish(
        self, results: Sequence[tuple[SSAValue, AffineMap]]
    ) -> tuple[list[tensor.EmptyOp], Generic]:
        """The op that yields the elements of these tensors, and the empty tensors
        created for them; a padded result is written into its filled tensor."""
        empties = [tensor.EmptyOp([], value.type) for value, _ in results]
        targets = [
            self.border_of(value, map_) or empty.tensor
            for (value, map_), empty in zip(results, empties, strict=True)
        ]
        for value, _ in results:
            self.block.insert_arg(tensor_of(value).element_type, len(self.block.args))
        self.block.add_op(YieldOp(*(self.scalars[value] for value, _ in results)))
        merged = make_generic(
            [value for value, _ in self.inputs],
            targets,
            [*(map_ for _, map_ in self.inputs), *(map_ for _, map_ in results)],
            [True] * self.count,
            self.block,
            self.sizes,
        )
        return [e for e in empties if e.tensor.uses], merged

    @property
    def sizes(self) -> list[int]:
        """The trip counts of the loops."""
        return self.group.sizes[: self.count]

    def border_of(self, value: SSAValue, map_: AffineMap) -> SSAValue | None:
        """The filled tensor that a result is written into, if it is padded."""
        owner = value.owner
        if not isinstance(owner, Generic) or not is_slice(map_, value, self.sizes):
            return None
        return owner.outputs[owner.results.index(value)]


def merge_pointwise(
    group: Group,
    members: Sequence[Generic],
    count: int,
    passed_on: Iterable[SSAValue] = (),
) -> list[Operation]:
    """Merge these members into one pointwise op over the first `count` loops.

    Its results are the members' results with other readers, and the values `passed_on`,
    which it reads from an anchor and yields unchanged. Replaces uses outside `members`.
    """
    body = MergedBody(group, count)
    for op in members:
        body.add(op)
    inside = set(members)
    results: list[tuple[SSAValue, AffineMap]] = [
        (v, moved(group.values[v], range(len(group.sizes)), count))
        for op in members
        for v in op.results
        if is_used_outside(v, inside)
    ]
    identity = AffineMap.identity(count)
    for value in passed_on:
        body.scalars[value] = body.read(value, identity)
        results.append((value, identity))
    empties, merged = body.finish(results)
    describe_as(merged, members)
    for empty in empties:
        empty.location = merged.location
    outside = {*members, merged}
    for (value, _), result in zip(results, merged.results, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(
            result, lambda use, v=value: _sibling(use.operation, v) not in outside
        )
    return [*empties, merged]


def _sibling(op: Operation, value: SSAValue) -> Operation | None:
    """The ancestor of `op` in the block that defines `value`."""
    block = value.owner.parent if isinstance(value.owner, Operation) else None
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current or op


def clone_body(
    op: Generic,
    block: Block,
    local: dict[SSAValue, SSAValue],
    loops: Sequence[int | None],
) -> None:
    """Append the scalar ops of a body, with loop indices mapped to the new loops."""
    *body, _ = op.body.block.ops
    for inner in body:
        if isinstance(inner, IndexOp):
            loop = loops[inner.dim.value.data]
            new: Operation = (
                arith.ConstantOp(IntegerAttr(0, IndexType()))
                if loop is None
                else IndexOp(loop)
            )
        else:
            new = inner.clone(local)
        new.location = op.location
        local |= zip(inner.results, new.results, strict=True)
        block.add_op(new)


def on_domain(group: Group, op: Generic) -> Generic:
    """A reduction with its loops in the order of the domain."""
    loops, count = group.loops[op], len(group.sizes)
    if loops == list(range(count)):
        return op
    block = Block(arg_types=[a.type for a in op.body.block.args])
    local: dict[SSAValue, SSAValue] = {}
    local |= zip(op.body.block.args, block.args, strict=True)
    clone_body(op, block, local, loops)
    block.add_op(YieldOp(*(local[v] for v in yields_of(op))))
    parallel = dict(zip(loops, is_parallel(op), strict=True))
    new = make_generic(
        op.inputs,
        op.outputs,
        [moved(map_, loops, count) for map_ in maps_of(op)],
        [parallel[loop] for loop in range(count)],
        block,
        group.sizes,
    )
    describe_as(new, [op])
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    return new


def describe_as(new: Generic, members: Sequence[Operation]) -> None:
    """Give an op the sources and the location of the ops that it replaces."""
    names = [name for op in members for name in sources_of(op)]
    new.attributes[SOURCES] = sources_attribute(names)
    new.location = fuse_locations(op.location for op in members)
