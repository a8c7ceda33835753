"""Data flow between the ops of a block program: the source of each value read.

Values between the ops of one program stay in registers. The results of each op are
recorded per memref: a later op that reads one at the same point of the iteration space
uses the block itself; at another point it is recomputed if the writer is elementwise
(for example, a padded input). Anything else needs a second program.

All of this follows from the indexing maps, without creating ops: a plan checks whether
the ops can share a program, and its expansion determines how.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType, i1
from xdsl.dialects.linalg.ops import FillOp
from xdsl.dialects.memref import GetGlobalOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from devproc.algorithms.base import Refusal
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
)
from devproc.targets.triton.transforms.to_triton.nest import is_partial
from devproc.targets.triton.transforms.to_triton.space import Linear, linear_form

Exprs: TypeAlias = Sequence[AffineExpr]
"""Indices as expressions of the program's dimensions, which are its anchor's."""


@dataclass(frozen=True, eq=False)
class Stored:
    """What an op has written to a memref."""

    writer: Generic
    output: int
    dims: Exprs | None
    """The writer's dimensions where it ran; None: it is computed by its readers."""
    before: Mapping[SSAValue, Stored]
    """What the ops before it have written: what it reads, whenever it is computed."""
    under: Stored | None = None
    """The previous contents, if the op has written only a part."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the memref as seen by the writer."""
        return memref_of(self.writer.outputs[self.output]).get_shape()

    @property
    def indices(self) -> Exprs:
        """The indices into the memref for the writer's dimensions."""
        return self.writer.output_maps[self.output].results


@dataclass(frozen=True)
class Memory:
    """Read from memory."""

    root: SSAValue


@dataclass(frozen=True)
class Filled:
    """The value that the whole memref was filled with."""

    value: SSAValue


@dataclass(frozen=True)
class Held:
    """The block that an op has computed at the same point."""

    stored: Stored


@dataclass(frozen=True)
class Bound:
    """`0 <= index`, if that is not already known, and `index < limit`."""

    index: AffineExpr
    is_above: bool
    limit: int | None


@dataclass(frozen=True)
class Recomputed:
    """The result of an elementwise op at these dimensions, within bounds."""

    stored: Stored
    dims: Exprs
    bounds: tuple[Bound, ...]
    under: Source | None
    """The source outside of the bounds."""
    padding: float | None
    """The constant outside of the bounds, if a masked load can supply it."""


Source: TypeAlias = Memory | Filled | Held | Recomputed
"""The source of a value that is read."""


@dataclass
class Flow:
    """Tracks what the ops of a program have written so far."""

    arguments: Collection[SSAValue]
    anchor: Generic
    stored: Mapping[SSAValue, Stored] = field(default_factory=dict[SSAValue, Stored])
    since: Mapping[SSAValue, Stored] = field(default_factory=dict[SSAValue, Stored])
    """What is written when a deferred op is computed; empty for other ops."""

    def of(self, stored: Stored) -> Flow:
        """The flow that an op reads which is computed by its readers."""
        return replace(self, stored=stored.before, since=self.since or self.stored)

    def write(self, generic: Generic, dims: Exprs | None) -> list[Stored]:
        """Record the results of an op; without `dims` it is computed by its readers."""
        before = self.stored
        written: dict[SSAValue, Stored] = {}
        for index, value in enumerate(generic.outputs):
            root = root_of(value)
            under = before.get(root) if is_partial(generic, index) else None
            written[root] = Stored(generic, index, dims, before, under)
        self.stored = {**before, **written}
        return list(written.values())

    def source(self, value: SSAValue, exprs: Exprs, *, named: bool) -> Source | Refusal:
        """The source of an element of a memref.

        `named`: whether the indices are expressions of the anchor's dimensions;
        computed indices cannot be compared.
        """
        root = root_of(value)
        if root not in self.stored:
            if root in self.since:
                return Refusal("memory is overwritten before a deferred op reads it")
            if root in self.arguments or isinstance(root.owner, GetGlobalOp):
                return Memory(root)
            return Refusal(f"a temporary of type {root.type} is read before written")
        stored, shape = self.stored[root], memref_of(value).get_shape()
        if stored.dims is not None and named and not is_fill(stored):
            there = self.offset(stored.shape, substituted(stored.indices, stored.dims))
            if there is not None and there == self.offset(shape, exprs):
                return Held(stored)
        if shape != stored.shape and not is_fill(stored):
            exprs = delinearized(exprs, shape, stored.shape)
        return self.recomputed(stored, exprs)

    def recomputed(self, stored: Stored, exprs: Exprs) -> Source | Refusal:
        """The recomputed result of an op at these indices."""
        writer = stored.writer
        if is_fill(stored):
            return Filled(writer.inputs[0])
        if writer.reductions or any(
            map(writer.reads_output, range(len(writer.outputs)))
        ):
            return Refusal("a later op reads a reduced value at other indices")
        dims: dict[int, AffineExpr] = {}
        bounds: list[Bound] = []
        for written, expr, size in zip(
            stored.indices, exprs, stored.shape, strict=True
        ):
            form = linear_form(written)
            if form is None or [c for _, c in form.terms] not in ([], [1]):
                return Refusal("a temporary is written at computed indices")
            if not form.terms:
                continue
            dim, low = form.terms[0][0], form.constant
            dims[dim] = expr - low if low else expr
            is_covered = low + writer.extents[dim] >= size
            if low > 0 or not is_covered:
                limit = None if is_covered else writer.extents[dim]
                bounds.append(Bound(dims[dim], low > 0, limit))
        zero = AffineExpr.constant(0)
        places = [dims.get(d, zero) for d in range(len(writer.extents))]
        if not bounds:
            return Recomputed(stored, places, (), None, None)
        if stored.under is None:
            return Refusal("a temporary is read where nothing was written")
        under = self.recomputed(stored.under, exprs)
        if isinstance(under, Refusal):
            return under
        padding = number_of(under) if self.of(stored).is_load(writer) else None
        return Recomputed(stored, places, tuple(bounds), under, padding)

    def offset(self, shape: Sequence[int], exprs: Exprs) -> Linear | None:
        """An access in comparable form: its offset, without dimensions of size one."""
        total, stride = Linear(()), prod(shape)
        for expr, size in zip(exprs, shape, strict=True):
            stride //= size
            form = linear_form(expr)
            if form is None:
                return None
            total = total.plus(form, stride if size > 1 else 0)
        extents = self.anchor.extents
        return Linear.of(
            {d: c for d, c in total.terms if extents[d] != 1}, total.constant
        )

    def is_load(self, writer: Generic) -> bool:
        """Whether an op only copies an argument of the kernel."""
        last = writer.block.last_op
        if last is None or last is not writer.block.first_op or len(writer.inputs) != 1:
            return False
        root = root_of(writer.inputs[0])
        return (
            last.operands[0] is writer.block.args[0]
            and root in self.arguments
            and root not in self.stored
            and memref_of(writer.inputs[0]).element_type != i1
        )

    # Questions of plans.

    def problem(
        self, generic: Generic, dims: Exprs, *, named: bool = True
    ) -> str | None:
        """Why an op cannot be computed at these dimensions; None if it can."""
        for value, exprs, is_named in accesses(generic, dims):
            source = self.source(value, exprs, named=named and is_named)
            while isinstance(source, Recomputed):
                inner = self.of(source.stored).problem(
                    source.stored.writer, source.dims, named=named and is_named
                )
                if inner is not None:
                    return inner
                source = source.under
            if isinstance(source, Refusal):
                return source.why
        return None

    def is_zero_outside(
        self, value: SSAValue, exprs: Exprs, dims: Collection[int], *, other: float = 0
    ) -> bool:
        """Whether a read yields zero wherever one of these dimensions is out of range.

        This holds for loads whose mask depends on the dimensions. `other`: the value of
        masked-off elements.
        """
        source = self.source(value, exprs, named=True)
        if isinstance(source, Memory):
            used = {d for expr in exprs for d in expr.used_dims()}
            return other == 0 and not used.isdisjoint(dims)
        if not isinstance(source, Recomputed):
            return False
        if source.bounds and source.padding is None:
            return False
        writer = source.stored.writer
        last = writer.block.last_op
        assert last is not None
        made = last.operands[source.stored.output]
        if isinstance(made, BlockArgument) and made.index < len(writer.inputs):
            read = writer.inputs[made.index], writer.maps[made.index]
            flow = self.of(source.stored)
            return isinstance(read[0].type, MemRefType) and flow.is_zero_outside(
                read[0],
                substituted(read[1].results, source.dims),
                dims,
                other=source.padding or 0,
            )
        # A load at computed indices is masked by all dimensions.
        return (
            isinstance(made.owner, memref.LoadOp)
            and root_of(made.owner.memref) not in source.stored.before
            and bool(made.owner.indices)
        )


def accesses(generic: Generic, dims: Exprs) -> Iterator[tuple[SSAValue, Exprs, bool]]:
    """The memrefs that an op reads at these dimensions: (memref, indices, `named`)."""
    for number, (value, map_) in enumerate(
        zip((*generic.inputs, *generic.outputs), generic.maps, strict=True)
    ):
        # The initial value of a reduction is read even if its body ignores it.
        is_start = number >= len(generic.inputs) and bool(generic.reductions)
        if not isinstance(value.type, MemRefType) or isinstance(generic.op, FillOp):
            continue
        if is_start or generic.block.args[number].uses:
            yield value, substituted(map_.results, dims), True
    for op in generic.block.walk():
        if isinstance(op, memref.LoadOp):
            indices = [AffineExpr.dimension(d) for d in range(len(op.indices))]
            yield op.memref, indices, False


def substituted(exprs: Exprs, dims: Exprs) -> list[AffineExpr]:
    """Expressions of an op's dimensions, as expressions of the program's dimensions."""
    return [expr.replace_dims_and_symbols(list(dims), []) for expr in exprs]


def delinearized(exprs: Exprs, shape: Sequence[int], wanted: Sequence[int]) -> Exprs:
    """Indices into one shape as indices into another shape of the same buffer."""
    offset: AffineExpr = AffineExpr.constant(0)
    for expr, size in zip(exprs, shape, strict=True):
        if size > 1:
            offset = offset * size + expr
    result: list[AffineExpr] = []
    for axis, size in enumerate(wanted):
        if size == 1:
            result.append(AffineExpr.constant(0))
            continue
        inner = prod(wanted[axis + 1 :])
        index = offset // inner if inner > 1 else offset
        result.append(index % size if prod(wanted[:axis]) > 1 else index)
    return result


def is_fill(stored: Stored) -> bool:
    """Whether a memref holds one value everywhere."""
    return isinstance(stored.writer.op, FillOp)


def number_of(source: Source) -> float | None:
    """The constant of a source, if it is the same everywhere and known."""
    if isinstance(source, Filled) and isinstance(
        owner := source.value.owner, arith.ConstantOp
    ):
        value = owner.value
        return value.value.data if isinstance(value, FloatAttr | IntegerAttr) else None
    return None
