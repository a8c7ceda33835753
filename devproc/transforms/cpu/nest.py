"""One loop nest with its operands: what several `linalg` ops of a kernel do together.

A nest is an anchor with the fill that starts it and the epilogue that takes its result.
Its loops are those of the anchor; loops of one iteration are dropped, and neighbours that
every operand walks as one are merged, so that a schedule sees few, long loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.ops import FillOp, IndexOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from devproc.dialects import plan
from devproc.ir.types import AnyMemRef
from devproc.transforms.cpu.access import layout_of, linear_form
from devproc.transforms.cpu.emitter import Emitter, memref_of
from devproc.transforms.cpu.kernels import StructuredOp, body_work, is_parallel, maps_of


@dataclass
class Operand:
    """A value and how the loops of the nest read or write it."""

    value: SSAValue
    map: AffineMap

    def __post_init__(self) -> None:
        self.origin = self.value
        """The value the op names, also when `value` has become a view of it."""
        self.shape: tuple[int, ...] = ()
        if isinstance(self.value.type, MemRefType):
            self.shape = memref_of(self.value).get_shape()

    @property
    def is_memref(self) -> bool:
        """False for a scalar, which every iteration sees alike."""
        return isinstance(self.value.type, MemRefType)

    def stride(self, loop: int) -> int | None:
        """Elements in memory from one iteration of a loop to the next.

        None where that is not constant, or the operand is packed.
        """
        if not self.is_memref:
            return 0
        if layout_of(self.value) is not None:
            return None
        total = 0
        for position, expr in enumerate(self.map.results):
            form = linear_form(expr)
            if form is None:
                return None
            total += form.get(loop, 0) * prod(self.shape[position + 1 :])
        return total

    def view(self, emitter: Emitter) -> None:
        """Make `value` a memref of `shape`; emits a view where that is another one."""
        if not self.is_memref:
            return
        old = memref_of(self.value)
        if old.get_shape() == self.shape:
            return
        space = old.memory_space
        type_: AnyMemRef = MemRefType(old.element_type, self.shape, memory_space=space)
        source = self.value
        if isinstance(source, BlockArgument):
            key = (source, type_)
            self.value = emitter.shared(key, lambda: plan.ViewOp(source, type_))
        else:
            self.value = emitter.append(plan.ViewOp(source, type_)).results[0]


@dataclass
class Nest:
    """An anchor, what starts its accumulators, and its epilogue."""

    anchor: StructuredOp
    starts: Sequence[FillOp | None] = ()
    epilogue: StructuredOp | None = None
    ops: Sequence[StructuredOp] = ()
    """Everything the nest stands for, in order."""

    sizes: list[int] = field(init=False)
    parallel: list[bool] = field(init=False)
    loops: list[int | None] = field(init=False)
    """For each loop of the anchor, the loop of the nest; None where it has one trip."""

    def __post_init__(self) -> None:
        anchor = self.anchor
        if not self.ops:
            self.ops = [anchor]
        if not self.starts:
            self.starts = [None] * len(anchor.outputs)
        self.sizes = list(anchor.get_static_loop_ranges())
        self.parallel = is_parallel(anchor)
        self.loops = list(range(len(self.sizes)))
        maps, count = maps_of(anchor), len(anchor.inputs)
        self.inputs = _operands(anchor.inputs, maps[:count])
        self.outputs = _operands(anchor.outputs, maps[count:])
        self.more_inputs: list[Operand] = []
        self.more_outputs: list[Operand] = []
        if self.epilogue is not None:
            after, count = self.epilogue, len(self.epilogue.inputs)
            maps = [self._over_anchor(m) for m in maps_of(after)]
            self.more_inputs = _operands(after.inputs, maps[:count])
            self.more_outputs = _operands(after.outputs, maps[count:])

    def _over_anchor(self, map_: AffineMap) -> AffineMap:
        """A map of the epilogue over the anchor's loops: its parallel ones, in order."""
        outer = [AffineDimExpr(d) for d, p in enumerate(self.parallel) if p]
        return map_.replace_dims_and_symbols(outer, [], len(self.parallel), 0)

    @property
    def results(self) -> list[Operand]:
        """What the nest writes to memory."""
        return self.more_outputs or self.outputs

    @property
    def operands(self) -> list[Operand]:
        """Everything the nest may touch, apart from captured memrefs."""
        return [*self.inputs, *self.outputs, *self.more_inputs, *self.more_outputs]

    @property
    def reductions(self) -> list[int]:
        """The loops that are not parallel, outermost first."""
        return [loop for loop, p in enumerate(self.parallel) if not p]

    @property
    def work(self) -> int:
        """Scalar operations of the whole nest."""
        result = prod(self.sizes) * body_work(self.anchor)
        if self.epilogue is not None:
            outer = [s for s, p in zip(self.sizes, self.parallel, strict=True) if p]
            result += prod(outer) * body_work(self.epilogue)
        return result

    # Simpler loops.

    def simplify(self) -> None:
        """Drop loops of one trip and merge neighbours that all operands walk as one."""
        self._drop_unit_loops()
        loop = 0
        while loop + 1 < len(self.sizes):
            if self._mergeable(loop):
                self._merge(loop)
            else:
                loop += 1

    def _indexed(self) -> set[int]:
        """Loops of the nest whose index a body asks for."""
        found: set[int] = set()
        outer = [d for d, p in enumerate(is_parallel(self.anchor)) if p]
        for op, dims in ((self.anchor, None), (self.epilogue, outer)):
            for inner in () if op is None else op.body.block.ops:
                if isinstance(inner, IndexOp):
                    d = inner.dim.value.data
                    loop = self.loops[d if dims is None else dims[d]]
                    if loop is not None:
                        found.add(loop)
        return found

    def _drop_unit_loops(self) -> None:
        kept = [loop for loop, size in enumerate(self.sizes) if size != 1]
        new: dict[int, int] = {loop: index for index, loop in enumerate(kept)}
        exprs: list[AffineExpr] = [
            AffineDimExpr(new[loop]) if loop in new else AffineConstantExpr(0)
            for loop in range(len(self.sizes))
        ]
        self._renumber(exprs, len(kept))
        self.loops = [new.get(loop) for loop in range(len(self.sizes))]
        self.sizes = [self.sizes[loop] for loop in kept]
        self.parallel = [self.parallel[loop] for loop in kept]
        for operand in self.operands:
            _drop_unit_dims(operand)

    def _mergeable(self, loop: int) -> bool:
        if self.parallel[loop] != self.parallel[loop + 1]:
            return False
        if self._indexed() & {loop, loop + 1}:
            return False
        return all(
            _walks_as_one(operand, loop, self.sizes[loop + 1])
            for operand in self.operands
        )

    def _merge(self, loop: int) -> None:
        for operand in self.operands:
            _merge_dims(operand, loop)
        # Loop and loop + 1 became one: what is behind moves down.
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


def _operands(values: Sequence[SSAValue], maps: Sequence[AffineMap]) -> list[Operand]:
    return [Operand(value, map_) for value, map_ in zip(values, maps, strict=True)]


def _drop_unit_dims(operand: Operand) -> None:
    """Forget dimensions of size 1 that are always read at 0."""
    if not operand.is_memref or layout_of(operand.value) is not None:
        return
    zero = AffineConstantExpr(0)
    kept = [
        position
        for position, (size, expr) in enumerate(
            zip(operand.shape, operand.map.results, strict=True)
        )
        if size != 1 or expr != zero
    ]
    operand.shape = tuple(operand.shape[p] for p in kept)
    results = tuple(operand.map.results[p] for p in kept)
    operand.map = AffineMap(operand.map.num_dims, 0, results)


def _walks_as_one(operand: Operand, loop: int, inner_size: int) -> bool:
    """Whether an operand reads (loop, loop + 1) as two adjacent dimensions, or neither."""
    first, second = AffineDimExpr(loop), AffineDimExpr(loop + 1)
    results = operand.map.results
    used = [bool({loop, loop + 1} & expr.used_dims()) for expr in results]
    if not any(used):
        return True
    if sum(used) != 2 or layout_of(operand.value) is not None:
        return False
    position = used.index(True)
    return (
        position + 1 < len(results)
        and results[position] == first
        and results[position + 1] == second
        and operand.shape[position + 1] == inner_size
    )


def _merge_dims(operand: Operand, loop: int) -> None:
    results = operand.map.results
    first = AffineDimExpr(loop)
    if first not in results:
        return
    position = results.index(first)
    shape = operand.shape
    merged = shape[position] * shape[position + 1]
    operand.shape = (*shape[:position], merged, *shape[position + 2 :])
    kept = (*results[: position + 1], *results[position + 2 :])
    operand.map = AffineMap(operand.map.num_dims, 0, kept)
