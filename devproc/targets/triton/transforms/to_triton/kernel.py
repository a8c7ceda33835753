"""A kernel under construction: emits the loads, computations and stores of its ops.

`flow` determines the source of each value; this module computes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.dialects.builtin import IntegerType, MemRefType, i1, i8
from xdsl.dialects.linalg.ops import FillOp
from xdsl.dialects.memref import GetGlobalOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from devproc.algorithms.base import Refusal
from devproc.errors import CompileError
from devproc.ir.types import AnyMemRef
from devproc.targets.triton.transforms.to_triton.body import Body
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.flow import (
    Exprs,
    Filled,
    Flow,
    Held,
    Memory,
    Recomputed,
    Source,
    Stored,
    substituted,
)
from devproc.targets.triton.transforms.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
    strides_of,
)
from devproc.targets.triton.transforms.to_triton.space import (
    Linear,
    Space,
    linear_form,
    point,
)


@dataclass
class Kernel:
    """A kernel under construction."""

    builder: BlockBuilder
    pointers: Mapping[SSAValue, SSAValue]
    """Memref argument -> pointer argument."""
    written: frozenset[SSAValue]
    """Memrefs that this kernel writes: loads from them are ordered."""
    flow: Flow
    strict: bool = False
    blocks: dict[Stored, SSAValue] = field(default_factory=dict[Stored, SSAValue])
    """Computed blocks, for later ops that read them at the same point."""

    # Reading.

    def read(self, value: SSAValue, map_: AffineMap, site: Site) -> SSAValue:
        """The element(s) of an operand at a site."""
        if not isinstance(value.type, MemRefType):
            return Body(self.builder, site).get(value)
        return self.read_exprs(value, site.exprs(map_), site)

    def read_exprs(self, value: SSAValue, exprs: Exprs, site: Site) -> SSAValue:
        """The element(s) of a memref at indices in the dimensions of a site's space."""
        source = (site.flow or self.flow).source(value, exprs, named=site.named)
        assert not isinstance(source, Refusal), source.why
        if isinstance(source, Memory):
            dims = {d for expr in exprs for d in expr.used_dims()}
            return self._load(source.root, address(value, exprs, site), site, dims)
        return self._computed(source, site)

    def _load(
        self, root: SSAValue, offset: Value, site: Site, dims: Collection[int]
    ) -> SSAValue:
        if isinstance(root.owner, GetGlobalOp):
            raise CompileError(
                f"a GPU kernel reads the constant table '{root.owner.name_.string_value()}';"
                " on the GPU constants must be weights; run hoist-constants first"
            )
        b, shared = self.builder, root not in self.written
        mask = site.mask(dims)
        loaded = b.load(
            self.pointers[root], offset, mask, other=site.other, shared=shared
        )
        if memref_of(root).element_type == i1:
            return b.compare("ne", loaded, b.constant(0, i8))
        return loaded

    def _computed(self, source: Source, site: Site) -> SSAValue:
        """The result of an op of this program at a site, recomputed if necessary."""
        b = self.builder
        if isinstance(source, Filled):
            return Body(b, point_site(self, [], None)).get(source.value)
        if isinstance(source, Held):
            return self.blocks[source.stored]
        assert isinstance(source, Recomputed)
        inside: SSAValue | None = None
        for bound in source.bounds:
            if bound.is_above:
                index = b.ssa(site.space.evaluate(bound.index))
                inside = b.both(inside, b.compare("sge", index, b.ssa(0)))
            if bound.limit is not None:
                index = site.space.evaluate(bound.index)
                inside = b.both(inside, b.below(index, bound.limit))
        writer, output = source.stored.writer, source.stored.output
        guard = b.both(site.guard, inside)
        flow = (site.flow or self.flow).of(source.stored)
        there = Site(self, site.space, source.dims, site.named, guard, flow=flow)
        if inside is None or source.under is None:
            return self.evaluate(writer, there)[output]
        outside = self._computed(source.under, site)
        if source.padding is not None:
            # The masked load supplies the padding.
            there.other = source.padding
            return self.evaluate(writer, there)[output]
        return b.where(inside, self.evaluate(writer, there)[output], outside)

    # Computing and writing.

    def evaluate(
        self, generic: Generic, site: Site, olds: Sequence[SSAValue | None] = ()
    ) -> list[SSAValue]:
        """The values that an op yields at a site; `olds` are the old output values."""
        arguments: list[SSAValue | None] = []
        for index, value in enumerate(generic.inputs):
            used = generic.block.args[index].uses
            arguments.append(
                self.read(value, generic.maps[index], site) if used else None
            )
        for index, value in enumerate(generic.outputs):
            old = olds[index] if olds else None
            if old is None and generic.reads_output(index):
                old = self.read(value, generic.output_maps[index], site)
            arguments.append(old)
        if isinstance(generic.op, FillOp):
            return [value for value in arguments[:1] if value is not None]
        return Body(self.builder, site, self.strict).run(generic.block, arguments)

    def hold(
        self, generic: Generic, dims: Exprs | None, values: Sequence[SSAValue] = ()
    ) -> None:
        """Record the results of an op; without `dims` it is computed by its readers."""
        written = self.flow.write(generic, dims)
        self.blocks.update(zip(written, values, strict=False))

    def store(
        self, value: SSAValue, map_: AffineMap, site: Site, block: SSAValue
    ) -> None:
        """Store a block to memory."""
        root, exprs = root_of(value), site.exprs(map_)
        if memref_of(root).element_type == i1:
            block = self.builder.cast("extui", block, i8)
        offset = address(value, exprs, site)
        self.builder.store(self.pointers[root], offset, block, site.mask())


def address(value: SSAValue, exprs: Sequence[AffineExpr], site: Site) -> Value:
    """The offset of an element from the start of its memref."""
    total, b = Linear(()), site.kernel.builder
    rest: Value = 0
    for expr, stride in zip(exprs, strides_of(memref_of(value)), strict=True):
        form = linear_form(expr)
        if form is None:
            rest = b.add(rest, b.mul(site.space.evaluate(expr), stride))
        else:
            total = total.plus(form, stride)
    return b.add(site.space.offset(total), rest)


@dataclass
class Site:
    """A point at which an op is evaluated, in the dimensions of a space."""

    kernel: Kernel
    space: Space
    dims: Sequence[AffineExpr]
    """Each dimension of the op as an expression of the space's dimensions."""
    named: bool = True
    """False for arbitrary indices, which cannot be compared."""
    guard: SSAValue | None = None
    """An additional mask for loads of inputs, besides that of the space."""
    other: float = 0
    """The value of masked-off elements of a load."""
    flow: Flow | None = None
    """What a deferred op reads; None for what the ops before have written."""

    def exprs(self, map_: AffineMap) -> list[AffineExpr]:
        """The indices of an access in the space's dimensions."""
        return substituted(map_.results, self.dims)

    def mask(self, dims: Collection[int] | None = None) -> SSAValue | None:
        """The mask of an access that depends on these dimensions (default: all)."""
        return self.kernel.builder.both(self.space.mask(dims), self.guard)

    # The `Memory` of a body.

    def index(self, dim: int) -> Value:
        """The current index of one of the op's dimensions."""
        return self.space.evaluate(self.dims[dim])

    def read_at(
        self, source: SSAValue, indices: Sequence[Value], mask: SSAValue | None
    ) -> SSAValue:
        """An element at computed indices, where the mask of the site is also set."""
        both = self.kernel.builder.both(self.mask(), mask)
        there = point_site(self.kernel, indices, both)
        there.flow = self.flow
        return self.kernel.read_exprs(source, there.dims, there)


def point_site(kernel: Kernel, indices: Sequence[Value], mask: SSAValue | None) -> Site:
    """A site at given indices of an op's dimensions."""
    space = point(kernel.builder, indices, mask)
    dims = [AffineExpr.dimension(d) for d in range(len(indices))]
    return Site(kernel, space, dims, named=False)


def index_type(types: Sequence[Attribute]) -> IntegerType:
    """i32, or i64 if the offsets of an operand might not fit."""
    counts = [prod(cast(AnyMemRef, t).get_shape()) for t in types]
    return IntegerType(64 if max(counts, default=0) >= 1 << 30 else 32)
