"""Computes the sums of small tiles with several accumulators."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import TermOp
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.nests.block_sums import sum_in_streams
from devproc.targets.cpu.transforms.tiles.scheduled import put_before, tiled_nests
from devproc.targets.cpu.transforms.tiles.term_loops import iteration, trip_count


def interleave_sums(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace each loop over terms whose schedule has several accumulators."""
    found, ops = tiled_nests(kernel, target)
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in ops:
        loop, nest = op.parent_op(), found[op.nest_name]
        tiling = nest.algorithm.tiling
        if not isinstance(op, TermOp) or not isinstance(loop, ForOp):
            continue
        count = trip_count(emitter, loop)
        if count is None or tiling is None or tiling.streams is None:
            continue
        streams = tiling.streams(nest.nest, nest.schedule, target, op, count)
        if streams > 1:
            emitter.location = op.location
            interleave(emitter, loop, count, streams)


def interleave(emitter: Emitter, loop: ForOp, count: int, streams: int) -> None:
    """Replace a loop over `count` terms by one that adds `streams` at a time."""
    totals = sum_in_streams(
        emitter,
        loop.lb,
        count,
        loop.iter_args,
        lambda index, sums: iteration(emitter, loop, index, sums),
        streams,
    )
    put_before(loop, emitter.take())
    for old, new in zip(loop.results, totals, strict=True):
        old.replace_all_uses_with(new)
    loop.detach()
    loop.erase()


@dataclass(frozen=True)
class InterleaveSumsPass(ModulePass):
    """Adds several terms at a time, each to separate sums, if a tile has few sums.

    Multiply-adds that accumulate to the same sum are serialised by their latency. So
    each of the terms has separate sums, all but the first initialised with zero, which
    are added after the loop. The schedule defines their number (`accumulators`).

    Before:
    ```mlir
    func.func private @row(
        %x: memref<48xf32>, %w: memref<48x16xf32>, %y: memref<16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.register_tile<weight = none, rows = 1, vectors = 2,
          order = panels, cut = none, block = 64, accumulators = 4, prefetch_panel = no,
          prefetch_results = [], spread = 0, grain = none>
          why "1 = 1 x 1 rows; 2 sums fit 16 registers" {
        linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
            affine_map<(n, k) -> (n)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x, %w : memref<48xf32>, memref<48x16xf32>) outs(%y : memref<16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0] size [16, 48] : vector<16xf32>
      %t = scf.for %k = %c0 to %c48 step %c1 iter_args(%a = %start) -> (vector<16xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [16, 1] to %a : vector<16xf32>
        scf.yield %n : vector<16xf32>
      }
      sched.finish @n0 at [%c0, %c0] size [16, 48] of %t : vector<16xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @row(
        %x: memref<48xf32>, %w: memref<48x16xf32>, %y: memref<16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<16xf32>
      %c2 = arith.constant 2 : index
      sched.nest @n0 #sched.register_tile<weight = none, rows = 1, vectors = 2,
          order = panels, cut = none, block = 64, accumulators = 4, prefetch_panel = no,
          prefetch_results = [], spread = 0, grain = none>
          why "1 = 1 x 1 rows; 2 sums fit 16 registers" {
        linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
            affine_map<(n, k) -> (n)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x, %w : memref<48xf32>, memref<48x16xf32>) outs(%y : memref<16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0] size [16, 48] : vector<16xf32>
      %t, %u = scf.for %k = %c0 to %c48 step %c2
          iter_args(%a = %start, %b = %zeros) -> (vector<16xf32>, vector<16xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [16, 1] to %a : vector<16xf32>
        %next = arith.addi %k, %c1 : index
        %m = sched.term @n0 at [%c0, %next] size [16, 1] to %b : vector<16xf32>
        scf.yield %n, %m : vector<16xf32>, vector<16xf32>
      }
      %total = arith.addf %t, %u : vector<16xf32>
      sched.finish @n0 at [%c0, %c0] size [16, 48] of %total : vector<16xf32>
      func.return
    }
    ```
    """

    name = "interleave-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            interleave_sums(kernel, target)
