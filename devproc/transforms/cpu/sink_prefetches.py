"""What tiles prefetch, next to what hides the time that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.dialects.sched import (
    FinishOp,
    PrefetchOp,
    PrefetchResultsOp,
    StartOp,
    TermOp,
)
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.tiles.scheduled import put_before, tile_ops


def sink_prefetches(kernel: FuncOp) -> None:
    """Move what stands before a tile into its sums."""
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    before: list[PrefetchOp] = []
    results: list[PrefetchResultsOp] = []
    start: StartOp | None = None
    for op in tile_ops(kernel):
        match op:
            case PrefetchOp():
                before.append(op)
            case PrefetchResultsOp():
                results.append(op)
            case StartOp():
                start = op
                for prefetch in results:
                    sink(prefetch, op)
                results = []
            case TermOp() if start is not None:
                for prefetch in before:
                    emitter.location = prefetch.location
                    place_part(emitter, prefetch, start, op)
            case FinishOp():
                for prefetch in before:
                    prefetch.detach()
                    prefetch.erase()
                before, start = [], None
            case _:
                before, results = [], []


def sink(prefetch: PrefetchResultsOp, start: StartOp) -> None:
    """Move what is prefetched for the stores of a tile after the start of its sums."""
    prefetch.detach()
    assert start.parent is not None
    start.parent.insert_op_after(prefetch, start)


def place_part(
    emitter: Emitter, prefetch: PrefetchOp, start: StartOp, term: TermOp
) -> None:
    """Put a part of a prefetch, of as many as there are terms, before one of these."""
    sizes = enumerate(zip(start.sizes, term.sizes, strict=True))
    (loop,) = (loop for loop, (all_, one) in sizes if all_ != one)
    size = prefetch.count // start.sizes[loop]
    moved = emitter.mul(term.at[loop], emitter.index(size))
    first = emitter.add(prefetch.at[0], moved)
    emitter.place(PrefetchOp(prefetch.nest_name, prefetch.memory, first, size))
    put_before(term, emitter.take())


@dataclass(frozen=True)
class SinkPrefetchesPass(ModulePass):
    """Moves what a tile prefetches to where the processor has time for it.

    Its share of the next panel of a weight is prefetched in parts, one with each term of
    its sums: all at once, the requests would wait for each other. The lines of its results
    are prefetched after the start of the sums, which may read them.
    """

    name = "sink-prefetches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in cpu_kernels(op):
            sink_prefetches(kernel)
