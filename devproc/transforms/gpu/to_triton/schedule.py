"""What all schedules share: a program, its axes, and the walk over a kernel's ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from devproc.dialects.triton import PtrType
from devproc.ir.types import is_bool, signless
from devproc.transforms.gpu.to_triton.builder import BlockBuilder
from devproc.transforms.gpu.to_triton.generic import Generic, memref_of, root_of
from devproc.transforms.gpu.to_triton.kernel import (
    Kernel,
    NeedsSplit,
    Site,
    Stored,
    index_type,
)
from devproc.transforms.gpu.to_triton.policy import Policy
from devproc.transforms.gpu.to_triton.space import Axis, Space


@dataclass
class Program:
    """One `triton.func` in the making, for a list of linalg ops."""

    generics: Sequence[Generic]
    arguments: Sequence[SSAValue]
    """The function's memref arguments."""
    scratch: frozenset[SSAValue]
    """Arguments that nothing outside reads: no need to write them."""
    policy: Policy
    precision: str
    body: Block = field(init=False)
    builder: BlockBuilder = field(init=False)
    kernel: Kernel = field(init=False)
    grid: tuple[int, int, int] = (1, 1, 1)
    num_warps: int = 4
    num_stages: int = 1

    def __post_init__(self) -> None:
        types = [pointer_type(memref_of(v).element_type) for v in self.arguments]
        self.body = Block(arg_types=types)
        for old, new in zip(self.arguments, self.body.args, strict=True):
            new.name_hint = old.name_hint
        self.builder = BlockBuilder(
            self.body,
            index_type([v.type for v in self.arguments]),
            exact=self.precision == "strict",
        )
        self.kernel = Kernel(
            self.builder,
            dict(zip(self.arguments, self.body.args, strict=True)),
            frozenset(root_of(v) for g in self.generics for v in g.outputs),
            self.precision == "strict",
        )

    # Axes.

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
        """An axis on which a program holds `size` positions from `start` on."""
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
        return Axis(tuple(dims), extents, index, mask)

    # The walk.

    def last_writers(self) -> set[tuple[int, SSAValue]]:
        """(op number, output) of the writes that must reach memory."""
        last: dict[SSAValue, tuple[int, SSAValue]] = {}
        for number, generic in enumerate(self.generics):
            for index, value in enumerate(generic.outputs):
                root = root_of(value)
                if root in last and Stored(generic, index).is_partial:
                    last[root] = (-1, value)
                    continue
                last[root] = (number, value)
        kept = {
            place
            for root, place in last.items()
            if root in self.kernel.pointers and root not in self.scratch
        }
        if any(number < 0 for number, _ in kept):
            # Other programs may still be filling what this one has to write over.
            raise NeedsSplit("an output is written in several steps")
        return kept

    def finish(self, number: int, site: Site, values: Sequence[SSAValue]) -> None:
        """Keep what an op computed, and write what the outside reads."""
        generic, kernel = self.generics[number], self.kernel
        kernel.hold(generic, site, values)
        for value, map_, block in zip(
            generic.outputs, generic.output_maps, values, strict=True
        ):
            if (number, value) in self.last_writers():
                kernel.store(value, map_, site, block)

    def can_defer(self, number: int) -> bool:
        """Whether only later ops read an elementwise op, each where it needs it."""
        generic = self.generics[number]
        updates = any(generic.reads_output(i) for i in range(len(generic.outputs)))
        needed = any(n == number for n, _ in self.last_writers())
        return not generic.reductions and not updates and not needed

    def identity_site(self, generic: Generic, space: Space) -> Site:
        """The site of the op whose dimensions are the space's."""
        dims = [AffineExpr.dimension(d) for d in range(len(generic.extents))]
        return Site(self.kernel, space, dims, generic.extents)

    def align(self, generic: Generic, anchor: Generic, space: Space) -> Site:
        """An op's dimensions in the anchor's: by what it reads, else by their sizes."""
        dims: list[AffineExpr | None] = [None] * len(generic.extents)
        for value, map_ in zip(generic.inputs, generic.maps, strict=False):
            stored = self.kernel.stored.get(value)
            if stored is None or stored.site is None or not map_.results:
                continue
            places = stored.site.exprs(stored.map)
            for expr, place in zip(map_.results, places, strict=True):
                if isinstance(expr, AffineDimExpr) and dims[expr.position] is None:
                    dims[expr.position] = place
        taken = {d.position for d in dims if isinstance(d, AffineDimExpr)}
        free = [d for d in sorted(space.places) if d not in taken]
        for dim, extent in enumerate(generic.extents):
            if extent == 1:
                dims[dim] = AffineExpr.constant(0)
            elif dims[dim] is None:
                fit = next((d for d in free if anchor.extents[d] == extent), None)
                if fit is None:
                    raise NeedsSplit("two ops of the kernel walk different dimensions")
                free = [d for d in free if d > fit]
                dims[dim] = AffineExpr.dimension(fit)
        return Site(
            self.kernel, space, [d for d in dims if d is not None], generic.extents
        )


def pointer_type(element: Attribute) -> PtrType:
    """The pointer type of a memref argument; a bool is a byte."""

    return PtrType(i8 if is_bool(element) else signless(element))
