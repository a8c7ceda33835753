"""Moves the prefetches of tiles to where computation hides their latency."""

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
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import put_before, tile_ops


def sink_prefetches(kernel: FuncOp) -> None:
    """Move the prefetches before a tile into its sums."""
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
    """Move the prefetches for the stores of a tile after the start of its sums."""
    prefetch.detach()
    assert start.parent is not None
    start.parent.insert_op_after(prefetch, start)


def place_part(
    emitter: Emitter, prefetch: PrefetchOp, start: StartOp, term: TermOp
) -> None:
    """Insert a part of a prefetch before each term."""
    sizes = enumerate(zip(start.sizes, term.sizes, strict=True))
    (loop,) = (loop for loop, (all_, one) in sizes if all_ != one)
    size = prefetch.count // start.sizes[loop]
    moved = emitter.mul(term.at[loop], emitter.index(size))
    first = emitter.add(prefetch.at[0], moved)
    emitter.place(PrefetchOp(prefetch.nest_name, prefetch.memory, first, size))
    put_before(term, emitter.take())


@dataclass(frozen=True)
class SinkPrefetchesPass(ModulePass):
    """Moves the prefetches of a tile to where computation hides their latency.

    A tile's share of the next panel of a weight is prefetched in parts, one with each
    term of its sums: all at once, the requests would queue up. The cache lines of its
    results are prefetched after the start of the sums, which may read them.

    Before:
    ```mlir
    func.func private @linear(
        %x: memref<12x50xf32>,
        %w: memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>,
        %y: memref<12x32xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %c800 = arith.constant 800 : index
      %panels = plan.view %w
        : memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>
        -> memref<1600xf32, #dev.on<"cpu">>
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.register_tile<weight = #dev.layout<[0, 1], [16, 1]>, rows = 6,
          vectors = 2, order = panels, cut = none, block = 64, accumulators = 8,
          prefetch_panel = yes, prefetch_results = [0], spread = 0, grain = none>
          why "12 = 2 x 6 rows; 12 sums fit 16 registers" {
        linalg.fill ins(%zero : f32) outs(%y : memref<12x32xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
            affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : memref<12x50xf32>,
              memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>)
          outs(%y : memref<12x32xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      sched.prefetch @n0 of %panels [%c800] size 400 : memref<1600xf32, #dev.on<"cpu">>
      sched.prefetch_results @n0 [0] at [%c0, %c0, %c0] size [6, 16, 50]
      %start = sched.start @n0 at [%c0, %c0, %c0] size [6, 16, 50] : vector<6x16xf32>
      %t = scf.for %k = %c0 to %c50 step %c1 iter_args(%a = %start) -> (vector<6x16xf32>) {
        %n = sched.term @n0 at [%c0, %c0, %k] size [6, 16, 1] to %a : vector<6x16xf32>
        scf.yield %n : vector<6x16xf32>
      }
      sched.finish @n0 at [%c0, %c0, %c0] size [6, 16, 50] of %t : vector<6x16xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @linear(
        %x: memref<12x50xf32>,
        %w: memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>,
        %y: memref<12x32xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c50 = arith.constant 50 : index
      %c800 = arith.constant 800 : index
      %panels = plan.view %w
        : memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>
        -> memref<1600xf32, #dev.on<"cpu">>
      %zero = arith.constant 0.0 : f32
      %c8 = arith.constant 8 : index
      sched.nest @n0 #sched.register_tile<weight = #dev.layout<[0, 1], [16, 1]>, rows = 6,
          vectors = 2, order = panels, cut = none, block = 64, accumulators = 8,
          prefetch_panel = yes, prefetch_results = [0], spread = 0, grain = none>
          why "12 = 2 x 6 rows; 12 sums fit 16 registers" {
        linalg.fill ins(%zero : f32) outs(%y : memref<12x32xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
            affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : memref<12x50xf32>,
              memref<32x50xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>)
          outs(%y : memref<12x32xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0, %c0] size [6, 16, 50] : vector<6x16xf32>
      sched.prefetch_results @n0 [0] at [%c0, %c0, %c0] size [6, 16, 50]
      %t = scf.for %k = %c0 to %c50 step %c1 iter_args(%a = %start) -> (vector<6x16xf32>) {
        %moved = arith.muli %k, %c8 : index
        %first = arith.addi %c800, %moved : index
        sched.prefetch @n0 of %panels [%first] size 8 : memref<1600xf32, #dev.on<"cpu">>
        %n = sched.term @n0 at [%c0, %c0, %k] size [6, 16, 1] to %a : vector<6x16xf32>
        scf.yield %n : vector<6x16xf32>
      }
      sched.finish @n0 at [%c0, %c0, %c0] size [6, 16, 50] of %t : vector<6x16xf32>
      func.return
    }
    ```
    """

    name = "sink-prefetches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in host_kernels(op):
            sink_prefetches(kernel)
