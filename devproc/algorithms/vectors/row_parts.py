"""Parts of rows that several ops write, in one walk over the rows.

A row of which the choices were split (`split_choices.py`) is whole in the first cache only
where its parts follow each other; op by op, every line of the result would be fetched again
for each part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from devproc.algorithms.vectors.interleaved import can_interleave
from devproc.algorithms.vectors.transposed_reads import crossing_loop
from devproc.algorithms.vectors.vector_nest import VectorNest
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import StructuredOp, is_parallel
from devproc.transforms.cpu.nests.nest import Nest
from devproc.transforms.cpu.nests.nest_emitter import can_vectorize_nest, vector_loop


def in_rows(ops: Sequence[StructuredOp]) -> Iterator[list[StructuredOp]]:
    """The ops in order; together those that write parts of the same rows."""
    run: list[StructuredOp] = []
    first: Nest | None = None
    for op in ops:
        if run and list(op.outputs) == list(run[0].outputs):
            first = first or row_nest(run[0])
            nest = row_nest(op) if first else None
            if first and nest and _same_rows(first, nest):
                run.append(op)
                continue
        if run:
            yield run
        run, first = [op], None
    if run:
        yield run


def row_nest(op: StructuredOp) -> Nest | None:
    """The loops of a parallel op, simplified, where vectors lie along the innermost of
    several and it reads nothing that it writes; else None."""
    if not isinstance(op, GenericOp) or not all(is_parallel(op)) or _reads_own(op):
        return None
    nest = Nest(op)
    nest.simplify()
    loop = len(nest.sizes) - 1
    is_row = loop > 0 and vector_loop(nest) == loop and can_vectorize_nest(nest, loop)
    if not is_row or crossing_loop(nest, loop) is not None or can_interleave(op):
        return None
    return nest


def _reads_own(op: GenericOp) -> bool:
    read: set[SSAValue] = {
        o.memref for o in op.body.walk() if isinstance(o, memref.LoadOp)
    }
    return not read.isdisjoint(op.outputs) or not set(op.inputs).isdisjoint(op.outputs)


def _same_rows(one: Nest, other: Nest) -> bool:
    """Whether two nests walk the same rows of the same memory."""
    outer = range(len(one.sizes) - 1)
    return one.sizes[:-1] == other.sizes[:-1] and all(
        a.origin is b.origin and all(a.stride(d) == b.stride(d) for d in outer)
        for a, b in zip(one.results, other.results, strict=True)
    )


class RowParts(VectorNest):
    """Emits the loops over the rows, all parts of a row in order.

    What it decides about threads, it decides for all parts at once.
    """

    def __init__(
        self, nests: Sequence[Nest], emitter: Emitter, vector_bits: int, threads: int
    ):
        loop = len(nests[0].sizes) - 1
        self.rows = [VectorNest(n, loop, emitter, vector_bits, threads) for n in nests]
        super().__init__(
            max(nests, key=lambda nest: nest.work), loop, emitter, vector_bits, threads
        )
        for row in self.rows:
            row.point = self.point
        for nest in (self, *self.rows):
            nest.inner, nest.outer = None, list(range(loop))

    @property
    def work(self) -> int:
        """Scalar operations of all parts."""
        return sum(row.nest.work for row in self.rows)

    def emit(self) -> None:
        """Emit the loops."""
        for row in self.rows:
            row.nest.view(self.emitter)
        self.outer_loops(self.outer, self.split_loop())

    def vectors(self, split: bool) -> None:
        """The parts of one row."""
        for row in self.rows:
            row.vectors(split)
