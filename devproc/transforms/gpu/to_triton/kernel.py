"""The kernel being built: its linalg ops, where their operands live, reading, writing.

Between the ops of one kernel values stay in registers. What an op wrote is remembered
per memref; a later op that reads it at the same place of the iteration space gets the
block itself, and one that reads it elsewhere has it recomputed there, if the writer is
elementwise (a padded input, for instance). Anything else needs a second kernel.
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

from devproc.errors import CompileError
from devproc.ir.types import AnyMemRef
from devproc.transforms.gpu.to_triton.body import Body
from devproc.transforms.gpu.to_triton.builder import BlockBuilder, Value
from devproc.transforms.gpu.to_triton.generic import (
    Generic,
    memref_of,
    root_of,
    strides_of,
)
from devproc.transforms.gpu.to_triton.space import Linear, Space, linear_form, point


class NeedsSplit(Exception):
    """These ops cannot share one kernel; each can have its own."""


@dataclass
class Stored:
    """What an op has put into a memref."""

    writer: Generic
    output: int
    site: Site | None = None
    """Where the block was computed; None: it is computed where it is read."""
    block: SSAValue | None = None
    under: Stored | None = None
    """What was there before, where the op has written only a part."""

    @property
    def map(self) -> AffineMap:
        """Where the writer's dimensions lie in the memref."""
        return self.writer.output_maps[self.output]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the memref as the writer sees it."""
        return memref_of(self.writer.outputs[self.output]).get_shape()

    @property
    def is_partial(self) -> bool:
        """Whether the writer leaves elements of the memref as they were."""
        return prod(self.writer.extents[d] for d in self.writer.parallels) < prod(
            self.shape
        )


@dataclass
class Kernel:
    """A kernel under construction."""

    builder: BlockBuilder
    pointers: Mapping[SSAValue, SSAValue]
    """Memref argument -> pointer argument."""
    written: frozenset[SSAValue]
    """Memrefs that this kernel writes: loads from them are ordered."""
    strict: bool = False
    stored: dict[SSAValue, Stored] = field(default_factory=dict[SSAValue, Stored])

    # Reading.

    def read(self, value: SSAValue, map_: AffineMap, site: Site) -> SSAValue:
        """The element(s) an operand has at a site."""
        if not isinstance(value.type, MemRefType):
            return Body(self.builder, site).get(value)
        return self.read_exprs(value, site.exprs(map_), site)

    def read_exprs(
        self, value: SSAValue, exprs: Sequence[AffineExpr], site: Site
    ) -> SSAValue:
        """The element(s) of a memref at indices in the dimensions of a site's space."""
        root = root_of(value)
        if root in self.stored:
            return self._forward(self.stored[root], value, exprs, site)
        dims = {d for expr in exprs for d in expr.used_dims()}
        return self._load(root, address(value, exprs, site), site, dims)

    def _load(
        self, root: SSAValue, offset: Value, site: Site, dims: Collection[int]
    ) -> SSAValue:
        if isinstance(root.owner, GetGlobalOp):
            raise CompileError(
                f"a GPU kernel reads the constant table '{root.owner.name_.string_value()}';"
                " on the GPU constants are weights, which hoist-constants makes of them"
            )
        if root not in self.pointers:
            raise NeedsSplit(f"a temporary of type {root.type} is read before written")
        b, shared = self.builder, root not in self.written
        mask = site.mask(dims)
        loaded = b.load(
            self.pointers[root], offset, mask, other=site.other, shared=shared
        )
        if memref_of(root).element_type == i1:
            return b.compare("ne", loaded, b.constant(0, i8))
        return loaded

    def _forward(
        self, stored: Stored, value: SSAValue, exprs: Sequence[AffineExpr], site: Site
    ) -> SSAValue:
        """The block itself where it was written at this place, else computed anew."""
        constant = self.constant_of(stored)
        if constant is not None:
            return constant
        if stored.block is not None and stored.site is not None and site.named:
            there = stored.site.offset(stored.shape, stored.site.exprs(stored.map))
            here = site.offset(memref_of(value).get_shape(), exprs)
            if here is not None and here == there:
                return stored.block
        if memref_of(value).get_shape() != stored.shape:
            exprs = delinearized(exprs, memref_of(value).get_shape(), stored.shape)
        return self.recompute(stored, exprs, site)

    def constant_of(self, stored: Stored) -> SSAValue | None:
        """The one value that an op fills its whole output with."""
        if not isinstance(stored.writer.op, FillOp):
            return None
        site = point_site(self, [], None)
        return Body(self.builder, site).get(stored.writer.inputs[0])

    def recompute(
        self, stored: Stored, exprs: Sequence[AffineExpr], site: Site
    ) -> SSAValue:
        """Run an elementwise writer for the elements at these indices."""
        constant, writer = self.constant_of(stored), stored.writer
        if constant is not None:
            return constant
        if writer.reductions or any(
            map(writer.reads_output, range(len(writer.outputs)))
        ):
            raise NeedsSplit("a later op reads a reduced value at other places")
        b = self.builder
        dims: dict[int, AffineExpr] = {}
        inside = None
        for written, expr, size in zip(
            stored.map.results, exprs, stored.shape, strict=True
        ):
            form = linear_form(written)
            if form is None or [c for _, c in form.terms] not in ([], [1]):
                raise NeedsSplit("a temporary is written at computed places")
            if not form.terms:
                continue
            dim, low = form.terms[0][0], form.constant
            dims[dim] = expr - low if low else expr
            extent = writer.extents[dim]
            if low > 0:
                start = b.ssa(site.space.evaluate(dims[dim]))
                above = b.compare("sge", start, b.ssa(0))
                inside = b.both(inside, above)
            if low + extent < size:
                inside = b.both(inside, b.below(site.space.evaluate(dims[dim]), extent))
        zero = AffineExpr.constant(0)
        there = Site(
            self,
            site.space,
            [dims.get(d, zero) for d in range(len(writer.extents))],
            writer.extents,
            named=site.named,
            guard=b.both(site.guard, inside),
        )
        if inside is None:
            return self.evaluate(writer, there)[stored.output]
        if stored.under is None:
            raise NeedsSplit("a temporary is read where nothing was written")
        border = self.recompute(stored.under, exprs, site)
        number = b.constant_value(border)
        if number is not None and self._is_load(writer):
            # What the load leaves out is the border.
            there.other = number
            return self.evaluate(writer, there)[stored.output]
        return b.where(inside, self.evaluate(writer, there)[stored.output], border)

    def _is_load(self, writer: Generic) -> bool:
        """Whether an op only copies an argument of the kernel."""
        last = writer.block.last_op
        return (
            last is writer.block.first_op
            and last is not None
            and len(writer.inputs) == 1
            and last.operands[0] is writer.block.args[0]
            and root_of(writer.inputs[0]) in self.pointers
            and root_of(writer.inputs[0]) not in self.stored
            and memref_of(writer.inputs[0]).element_type != i1
        )

    # Computing and writing.

    def evaluate(
        self, generic: Generic, site: Site, olds: Sequence[SSAValue | None] = ()
    ) -> list[SSAValue]:
        """The values an op yields at a site; `olds` are its outputs' old values."""
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
        self,
        generic: Generic,
        site: Site | None = None,
        values: Sequence[SSAValue | None] = (),
    ) -> None:
        """Remember what an op has written, or without a site what it would write."""
        for index, value in enumerate(generic.outputs):
            root = root_of(value)
            block = values[index] if site is not None else None
            stored = Stored(generic, index, site, block)
            if stored.is_partial:
                stored.under = self.stored.get(root)
            self.stored[root] = stored

    def store(
        self, value: SSAValue, map_: AffineMap, site: Site, block: SSAValue
    ) -> None:
        """Write a block to memory."""
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


def delinearized(
    exprs: Sequence[AffineExpr], shape: Sequence[int], wanted: Sequence[int]
) -> list[AffineExpr]:
    """Indices into one shape as indices into another shape of the same bytes."""
    offset: AffineExpr = AffineExpr.constant(0)
    for expr, size in zip(exprs, shape, strict=True):
        offset = offset * size + expr
    result: list[AffineExpr] = []
    for axis, size in enumerate(wanted):
        inner = prod(wanted[axis + 1 :])
        index = offset // inner if inner > 1 else offset
        result.append(index % size if axis else index)
    return result


@dataclass
class Site:
    """An op at a place: its dimensions in terms of those of a space."""

    kernel: Kernel
    space: Space
    dims: Sequence[AffineExpr]
    """Each dimension of the op as an expression of the space's dimensions."""
    extents: Sequence[int]
    named: bool = True
    """False where indices are given freely, so that nothing can be compared."""
    guard: SSAValue | None = None
    """Where the op's inputs may be read, besides the space's own limits."""
    other: float = 0
    """What a load gives where it may not read."""

    def exprs(self, map_: AffineMap) -> list[AffineExpr]:
        """The indices of an access in the space's dimensions."""
        return [
            expr.replace_dims_and_symbols(list(self.dims), []) for expr in map_.results
        ]

    def offset(
        self, shape: Sequence[int], exprs: Sequence[AffineExpr]
    ) -> Linear | None:
        """An access in comparable form: its offset, dimensions of size one left out."""
        total = Linear(())
        stride = prod(shape)
        for expr, size in zip(exprs, shape, strict=True):
            stride //= size
            form = linear_form(expr)
            if form is None:
                return None
            total = total.plus(form, stride if size > 1 else 0)
        units = {
            dim
            for axis in self.space.axes
            for dim, extent in zip(axis.dims, axis.extents, strict=True)
            if extent == 1
        }
        return Linear.of(
            {d: c for d, c in total.terms if d not in units}, total.constant
        )

    def mask(self, dims: Collection[int] | None = None) -> SSAValue | None:
        """Where an access exists that depends on these dimensions (default: all)."""
        return self.kernel.builder.both(self.space.mask(dims), self.guard)

    # The `Memory` of a body.

    def index(self, dim: int) -> Value:
        """The current index of one of the op's dimensions."""
        return self.space.evaluate(self.dims[dim])

    def read_at(
        self, source: SSAValue, indices: Sequence[Value], mask: SSAValue | None
    ) -> SSAValue:
        """An element at computed indices, where the site's mask holds too."""
        both = self.kernel.builder.both(self.mask(), mask)
        there = point_site(self.kernel, indices, both)
        return self.kernel.read_exprs(source, there.dims, there)


def point_site(kernel: Kernel, indices: Sequence[Value], mask: SSAValue | None) -> Site:
    """A site at given indices of an op's dimensions."""
    space = point(kernel.builder, indices, mask)
    dims = [AffineExpr.dimension(d) for d in range(len(indices))]
    return Site(kernel, space, dims, [0] * len(indices), named=False)


def index_type(types: Sequence[Attribute]) -> IntegerType:
    """i32, or i64 where an operand is so large that offsets might not fit."""
    counts = [prod(cast(AnyMemRef, t).get_shape()) for t in types]
    return IntegerType(64 if max(counts, default=0) >= 1 << 30 else 32)
