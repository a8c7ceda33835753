"""Nests on the runs of rows: what sorts and merges have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from devproc.algorithms.base import KernelOps
from devproc.dialects.linalg_ext.order import MergeRunsOp, SortRunsOp, kept_of_runs
from devproc.ir.types import item_size
from devproc.targets.triton.dialect import element_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.nest import BlockNest
from devproc.targets.triton.transforms.to_triton.program import Program
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div


@dataclass(frozen=True)
class RunsNest(BlockNest):
    """A sort of runs, or a merge of them."""

    op: SortRunsOp | MergeRunsOp

    @property
    def rows(self) -> int:
        """The number of rows."""
        return prod(self.anchor.extents[:-1])

    @property
    def size(self) -> int:
        """The elements of a row."""
        return self.anchor.extents[-1]

    @property
    def run(self) -> int:
        """The elements of a run that is written, if it kept all of them."""
        ways = self.op.ways.value.data if isinstance(self.op, MergeRunsOp) else 1
        return self.op.run.value.data * ways

    @property
    def runs(self) -> int:
        """The runs of a row that are written."""
        return ceil_div(self.size, self.run)

    @property
    def first(self) -> int:
        """The elements that each of them keeps."""
        return self.op.first.value.data

    @property
    def key(self) -> Attribute:
        """The element type."""
        return memref_of(self.op.operand).element_type


def match_runs(
    kernel: KernelOps, kind: type[SortRunsOp | MergeRunsOp]
) -> Iterator[RunsNest]:
    """The op of a kernel that consists of one of this kind."""
    if len(kernel.ops) != 1 or not isinstance(op := kernel.ops[0], kind):
        return
    shape = memref_of(op.operand).get_shape()
    inputs = tuple(v for v in (op.operand, op.of) if v is not None)
    outputs = tuple(v for v in (op.places, op.elements) if v is not None)
    maps = (AffineMap.identity(len(shape)),) * (len(inputs) + len(outputs))
    yield RunsNest((Generic(op, inputs, outputs, maps, shape, (len(shape) - 1,)),), op)


def pointer_of(program: Program, memref: SSAValue) -> SSAValue:
    """The pointer argument of a memref."""
    return program.kernel.pointers[root_of(memref)]


def to_integer(b: BlockBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """An integer in another integer type, which holds it."""
    old = element_of(value.type)
    if old == element:
        return value
    is_wider = item_size(element) > item_size(old)
    return b.cast("extsi" if is_wider else "trunci", value, element)


def store_kept(
    nest: RunsNest,
    program: Program,
    row: Value,
    run: Value,
    rank: SSAValue,
    inside: SSAValue | None,
    place: SSAValue,
    key: SSAValue,
) -> None:
    """Store the elements that their run keeps, by their ranks in it; `place` and `key` are
    the index that an element stands for, and the element."""
    b, op = program.builder, nest.op
    kept = min(nest.first, nest.run)
    total = kept_of_runs(nest.size, nest.run, nest.first)
    column = b.ssa(b.add(b.mul(run, kept), rank))
    inside = b.both(inside, b.below(rank, kept))
    if kept_of_runs(nest.size % nest.run, nest.run, nest.first) < kept:
        inside = b.both(inside, b.below(column, total))
    offset = b.add(b.mul(row, total), column)
    place = to_integer(b, place, memref_of(op.places).element_type)
    b.store(pointer_of(program, op.places), offset, place, inside)
    if op.elements is not None:
        b.store(pointer_of(program, op.elements), offset, key, inside)
