"""A block program under construction, shared by all expansions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute, Block, SSAValue

from devproc.dialects.dev import TargetAttr
from devproc.ir.types import is_bool, signless
from devproc.targets.triton.dialect import PtrType
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder
from devproc.targets.triton.transforms.to_triton.flow import Flow
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.kernel import Kernel, Site, index_type
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.space import Axis, Space
from devproc.targets.triton.transforms.to_triton.walk import Step, identity

Reduce = Callable[[Step, Site], tuple[Site, Sequence[SSAValue]]]
"""Computes a reduction; returns the site of its values, and the values."""


@dataclass
class Program:
    """A `triton.func` under construction, for the ops of a nest."""

    nest: BlockNest
    target: TargetAttr
    body: Block = field(init=False)
    builder: BlockBuilder = field(init=False)
    kernel: Kernel = field(init=False)
    grid: tuple[int, int, int] = (1, 1, 1)
    num_warps: int = 4
    num_stages: int = 1

    def __post_init__(self) -> None:
        arguments, generics = self.nest.arguments, self.nest.generics
        types = [pointer_type(memref_of(v).element_type) for v in arguments]
        self.body = Block(arg_types=types)
        for old, new in zip(arguments, self.body.args, strict=True):
            new.name_hint = old.name_hint
        is_strict = self.target.precision.data == "strict"
        self.builder = BlockBuilder(
            self.body,
            index_type([v.type for v in arguments], generics),
            exact=is_strict,
        )
        self.kernel = Kernel(
            self.builder,
            dict(zip(arguments, self.body.args, strict=True)),
            frozenset(root_of(v) for g in generics for v in g.outputs),
            Flow(arguments, self.nest.anchor),
            is_strict,
        )

    def block_axis(
        self,
        generic: Generic,
        dims: Sequence[int],
        start: SSAValue | int,
        size: int,
        position: int,
        rank: int,
        hint: str,
    ) -> Axis:
        """An axis of which a program covers `size` positions from `start` on."""
        b = self.builder
        extents = tuple(generic.extents[d] for d in dims)
        total = prod(extents)
        if size == 1 and rank == 0:
            return Axis(tuple(dims), extents, start)
        lanes = b.expand(b.arange(size), position, rank)
        index = b.ssa(b.add(start, lanes))
        if index.name_hint is None:
            index.name_hint = hint
        covered = total % size == 0 if not isinstance(start, int) else total == size
        mask = None if covered else b.below(index, total)
        if mask is not None and mask.name_hint is None:
            mask.name_hint = f"in_{hint}"
        return Axis(tuple(dims), extents, index, mask, start)

    def run(self, steps: Sequence[Step], space: Space, reduce: Reduce) -> None:
        """Compute the ops of a walk in order, and store their results."""
        for step in steps:
            generic = step.generic
            if step.dims is None:
                self.kernel.hold(generic, None)
                continue
            site = Site(self.kernel, space, step.dims)
            if generic.reductions:
                site, values = reduce(step, site)
            else:
                values = self.kernel.evaluate(generic, site)
            self.kernel.hold(generic, step.dims, values)
            self.store(step, site, values)

    def store(self, step: Step, site: Site, values: Sequence[SSAValue]) -> None:
        """Store the results of an op that are needed outside of the program."""
        outputs = step.generic.outputs, step.generic.output_maps
        for value, map_, block in zip(*outputs, values, strict=True):
            if (step.number, value) in self.nest.last_writers:
                self.kernel.store(value, map_, site, block)

    def site(self, generic: Generic, space: Space) -> Site:
        """The site of an op whose dimensions are those of the space."""
        return Site(self.kernel, space, identity(generic))


def pointer_type(element: Attribute) -> PtrType:
    """The pointer type of a memref argument; a bool is a byte."""

    return PtrType(i8 if is_bool(element) else signless(element))
