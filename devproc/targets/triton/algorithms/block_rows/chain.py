"""The rows that the ops of a nest share, and the passes over the columns of a row."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from devproc.algorithms.base import Refusal
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.types import item_size
from devproc.targets.triton.algorithms.block_rows.argmax import match_arg_extreme
from devproc.targets.triton.algorithms.block_rows.combiners import combiners
from devproc.targets.triton.transforms.to_triton.flow import accesses
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
    strides_of,
)
from devproc.targets.triton.transforms.to_triton.nest import BlockNest, is_partial
from devproc.targets.triton.transforms.to_triton.walk import Step, identity, walk


@dataclass(frozen=True)
class Chain:
    """Ops over the rows and columns of an anchor: reductions, ops on single elements, and
    ops on the values of rows."""

    nest: BlockNest
    anchor: Generic
    steps: tuple[Step, ...]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of rows, and of columns in each."""
        extents = self.anchor.extents
        rows, columns = (
            prod(extents[d] for d in dims)
            for dims in (self.anchor.parallels, self.anchor.reductions)
        )
        return rows, columns

    @lazy_property
    def is_contiguous(self) -> bool:
        """Whether rows, rather than columns, are contiguous in the largest operand."""
        anchor = self.anchor
        value, map_ = max(
            zip(anchor.inputs, anchor.maps, strict=False),
            key=lambda pair: prod(memref_of(pair[0]).get_shape()),
        )
        strides: dict[int, int] = {}
        for expr, stride in zip(
            map_.results, strides_of(memref_of(value)), strict=True
        ):
            if isinstance(expr, AffineDimExpr) and anchor.extents[expr.position] > 1:
                strides[expr.position] = stride
        nearest = min(strides, key=strides.__getitem__, default=None)
        return nearest is None or nearest in anchor.reductions

    @property
    def item_size(self) -> int:
        """The bytes of an element in the widest type that is reduced, at least four."""
        reducing = (s.generic for s in self.steps if s.generic.reductions)
        types = [memref_of(v).element_type for g in reducing for v in g.inputs]
        return max(4, *map(item_size, types))

    def is_fill(self, step: Step) -> bool:
        """Whether a step only says the start of a reduction, which needs no code."""
        return step.dims is None and isinstance(step.generic.op, FillOp)

    def is_elementwise(self, step: Step) -> bool:
        """Whether a step computes a value for each column of a row."""
        if step.generic.reductions or self.is_fill(step):
            return False
        return step.dims is None or bool(self.columns_of(step))

    def columns_of(self, step: Step) -> set[int]:
        """The reduced dimensions of the anchor that a step walks."""
        used = {d for expr in step.dims or () for d in expr.used_dims()}
        extents = self.anchor.extents
        return {d for d in used & set(self.anchor.reductions) if extents[d] > 1}

    def is_stored(self, step: Step) -> bool:
        """Whether a result of a step must reach memory."""
        return any(number == step.number for number, _ in self.nest.last_writers)

    @lazy_property
    def sources(self) -> list[set[int]]:
        """For each step, the steps whose results it reads."""
        writers: dict[SSAValue, list[int]] = {}
        sources: list[set[int]] = []
        for step in self.steps:
            generic = step.generic
            read = [
                root_of(value) for value, _, _ in accesses(generic, identity(generic))
            ]
            sources.append({n for root in read for n in writers.get(root, ())})
            for index, value in enumerate(generic.outputs):
                root = root_of(value)
                under = writers.get(root, []) if is_partial(generic, index) else []
                writers[root] = [*under, step.number]
        return sources

    def levels(self, early: Collection[int] = ()) -> list[int]:
        """For each step, the passes over the columns that come before it.

        The result of a reduction is complete after its own pass. `early`: reductions that
        run in the pass of the reduction whose result they read.
        """
        levels: list[int] = []
        for step in self.steps:
            done = (
                levels[n] + bool(self.steps[n].generic.reductions)
                for n in self.sources[step.number]
            )
            level = max(done, default=0)
            levels.append(level - 1 if step.number in early else level)
        return levels

    def passes(self, early: Collection[int] = ()) -> int:
        """The number of passes over the columns."""
        levels = self.levels(early)
        walking = (s for s in self.steps if s.generic.reductions or self.must_walk(s))
        return 1 + max(levels[step.number] for step in walking)

    def must_walk(self, step: Step) -> bool:
        """Whether a step writes a value for each column to memory."""
        return self.is_elementwise(step) and self.is_stored(step)

    def needed(self, wanted: Iterable[int]) -> set[int]:
        """These steps, and the elementwise ones that they are computed from."""
        found, todo = set[int](), list(wanted)
        while todo:
            number = todo.pop()
            if number not in found:
                found.add(number)
                sources = self.sources[number]
                todo += [n for n in sources if self.is_elementwise(self.steps[n])]
        return found

    @lazy_property
    def overwrites(self) -> bool:
        """Whether it reads an argument from memory that it also writes."""
        written = set[SSAValue]()
        for step in self.steps:
            generic = step.generic
            for value, _, _ in accesses(generic, identity(generic)):
                root = root_of(value)
                if root not in written and root in self.nest.arguments:
                    if any(root == root_of(v) for _, v in self.nest.last_writers):
                        return True
            written |= set(map(root_of, generic.outputs))
        return False


def chain_of(nest: BlockNest) -> Chain | Refusal:
    """The rows of a nest, or why its ops do not share any."""
    anchor = nest.anchor
    if not anchor.reductions:
        return Refusal("no op reduces")
    if not prod(anchor.extents[d] for d in anchor.reductions):
        return Refusal("rows have no elements")
    for generic in nest.generics:
        if not generic.reductions:
            continue
        found = combiners(generic)
        if isinstance(found, Refusal) and match_arg_extreme(generic) is None:
            return found
        if generic.reductions != anchor.reductions or generic.extents != anchor.extents:
            return Refusal("two reductions walk different dimensions")
    steps = walk(
        nest,
        anchor,
        range(len(anchor.extents)),
        defers=lambda number: isinstance(nest.generics[number].op, FillOp),
        is_parallel_to_anchor=lambda generic: generic.extents == anchor.extents,
    )
    if isinstance(steps, Refusal):
        return steps
    chain = Chain(nest, anchor, tuple(steps))
    return replace(chain, steps=tuple(on_rows(chain, step) for step in steps))


def on_rows(chain: Chain, step: Step) -> Step:
    """A step on the values of rows without dimensions of columns, all of size one."""
    if step.dims is None or step.generic.reductions or chain.columns_of(step):
        return step
    zero = AffineConstantExpr(0)
    dims = [
        zero if d in chain.anchor.reductions else AffineDimExpr(d)
        for d in range(len(chain.anchor.extents))
    ]
    return replace(
        step, dims=[expr.replace_dims_and_symbols(dims, []) for expr in step.dims]
    )
