"""The iteration space that several ops share, and their operands.

Loops of one iteration are dropped, and adjacent loops that are contiguous in every
operand are merged, so that schedules handle few, long loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from devproc.dialects import plan
from devproc.ir.types import AnyMemRef
from devproc.targets.cpu.transforms.loops.access import is_packed, linear_form
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.loops.kernels import StructuredOp
from devproc.targets.cpu.transforms.loops.vector_types import memref_of

ZERO = AffineConstantExpr(0)


class Operand:
    """A value and its indexing map.

    `origin` is the operand of the op; `value` may become a view of it, of `shape`.
    """

    def __init__(self, value: SSAValue, map_: AffineMap):
        self.origin = self.value = value
        self.map = map_
        self.is_memref = isinstance(value.type, MemRefType)
        self.shape: tuple[int, ...] = ()
        if self.is_memref:
            self.shape = memref_of(value).get_shape()
        self.is_packed = self.is_memref and is_packed(value)

    def stride(self, loop: int) -> int | None:
        """The stride of a loop in elements.

        None if it is not constant, or the operand is packed.
        """
        if not self.is_memref:
            return 0
        if self.is_packed:
            return None
        total = 0
        for position, expr in enumerate(self.map.results):
            if loop not in expr.used_dims():
                continue
            form = linear_form(expr)
            if form is None:
                return None
            total += form.get(loop, 0) * prod(self.shape[position + 1 :])
        return total

    def view(self, emitter: Emitter) -> None:
        """Make `value` a memref of `shape`; emits a view if the shape differs."""
        if not self.is_memref or memref_of(self.value).get_shape() == self.shape:
            return
        old, source = memref_of(self.value), self.value
        type_: AnyMemRef = MemRefType(
            old.element_type, self.shape, memory_space=old.memory_space
        )
        if isinstance(source, BlockArgument):
            key = (source, type_)
            self.value = emitter.shared(key, lambda: plan.ViewOp(source, type_))
        else:
            self.value = emitter.append(plan.ViewOp(source, type_)).results[0]

    def drop_unit_dims(self) -> None:
        """Drop dimensions of size 1 that are always read at 0."""
        if self.is_packed:
            return
        kept = [
            position
            for position, (size, expr) in enumerate(
                zip(self.shape, self.map.results, strict=self.is_memref)
            )
            if size != 1 or expr != ZERO
        ]
        self.shape = tuple(self.shape[p] for p in kept)
        results = tuple(self.map.results[p] for p in kept)
        self.map = AffineMap(self.map.num_dims, 0, results)

    def walks_as_one(self, loop: int, sizes: Sequence[int]) -> bool:
        """Whether (loop, loop + 1) are two adjacent whole dimensions, or neither is
        used."""
        first, second = AffineDimExpr(loop), AffineDimExpr(loop + 1)
        results = self.map.results
        used = [bool({loop, loop + 1} & expr.used_dims()) for expr in results]
        if not any(used):
            return True
        if sum(used) != 2 or self.is_packed:
            return False
        position = used.index(True)
        return (
            position + 1 < len(results)
            and results[position] == first
            and results[position + 1] == second
            and list(self.shape[position : position + 2]) == sizes[loop : loop + 2]
        )

    def merge(self, loop: int) -> None:
        """Merge the two dimensions that (loop, loop + 1) index."""
        results, shape = self.map.results, self.shape
        first = AffineDimExpr(loop)
        if first not in results:
            return
        position = results.index(first)
        merged = shape[position] * shape[position + 1]
        self.shape = (*shape[:position], merged, *shape[position + 2 :])
        kept = (*results[: position + 1], *results[position + 2 :])
        self.map = AffineMap(self.map.num_dims, 0, kept)


def operands_of(values: Sequence[SSAValue], maps: Sequence[AffineMap]) -> list[Operand]:
    """Each value with its map."""
    return [Operand(value, map_) for value, map_ in zip(values, maps, strict=True)]


def index_uses(op: StructuredOp) -> set[int]:
    """The loops of an op whose index its body uses."""
    return {
        inner.dim.value.data
        for inner in op.body.block.ops
        if isinstance(inner, IndexOp)
    }


class LoopSpace:
    """Loops by size and kind (`parallel` or not), and the operands over them.

    `loops` maps each original loop to its current number; None if it was dropped.
    """

    def __init__(self, sizes: Iterable[int], parallel: Iterable[bool]):
        self.sizes = list(sizes)
        self.parallel = list(parallel)
        self.loops: list[int | None] = list(range(len(self.sizes)))
        self.operands: list[Operand] = []
        self.pinned: set[int] = set()
        """Original loops whose index is used."""

    def simplify(self) -> None:
        """Drop loops of one iteration and merge those that all operands can merge."""
        self._drop_unit_loops()
        loop = 0
        while loop + 1 < len(self.sizes):
            if self._mergeable(loop):
                self._merge(loop)
            else:
                loop += 1

    def view(self, emitter: Emitter) -> None:
        """Emit the views that the simplified loops need."""
        for operand in self.operands:
            operand.view(emitter)

    def _drop_unit_loops(self) -> None:
        kept = [loop for loop, size in enumerate(self.sizes) if size != 1]
        new: dict[int, int] = {loop: index for index, loop in enumerate(kept)}
        exprs: list[AffineExpr] = [
            AffineDimExpr(new[loop]) if loop in new else ZERO
            for loop in range(len(self.sizes))
        ]
        self._renumber(exprs, len(kept))
        self.loops = [new.get(loop) for loop in range(len(self.sizes))]
        self.sizes = [self.sizes[loop] for loop in kept]
        self.parallel = [self.parallel[loop] for loop in kept]
        for operand in self.operands:
            operand.drop_unit_dims()

    def _mergeable(self, loop: int) -> bool:
        if self.parallel[loop] != self.parallel[loop + 1]:
            return False
        if {self.loops[d] for d in self.pinned} & {loop, loop + 1}:
            return False
        return all(operand.walks_as_one(loop, self.sizes) for operand in self.operands)

    def _merge(self, loop: int) -> None:
        for operand in self.operands:
            operand.merge(loop)
        # Loop and loop + 1 were merged: later loops are renumbered.
        exprs: list[AffineExpr] = [
            AffineDimExpr(d if d <= loop else d - 1) for d in range(len(self.sizes))
        ]
        self._renumber(exprs, len(self.sizes) - 1)
        self.loops = [
            None if d is None else d if d <= loop else d - 1 for d in self.loops
        ]
        self.sizes[loop : loop + 2] = [self.sizes[loop] * self.sizes[loop + 1]]
        del self.parallel[loop + 1]

    def _renumber(self, exprs: Sequence[AffineExpr], count: int) -> None:
        for operand in self.operands:
            operand.map = operand.map.replace_dims_and_symbols(exprs, [], count, 0)
