"""Splits long sums of tiles into blocks."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import StartOp, TermOp
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import put_before, tiled_nests
from devproc.targets.cpu.transforms.tiles.term_loops import trip_count


def split_sums(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace the loop over the terms of each long sum."""
    found, ops = tiled_nests(kernel, target)
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in ops:
        nest = found[op.nest_name]
        tiling = nest.algorithm.tiling
        if not isinstance(op, StartOp) or tiling is None or tiling.split is None:
            continue
        (use,) = op.sums[0].uses
        loop = use.operation
        if not isinstance(loop, ForOp) or not is_whole(emitter, op, loop):
            continue
        emitter.location = op.location
        totals = tiling.split(nest.nest, nest.schedule, emitter, target, op)
        if totals:
            put_before(loop, emitter.take())
            for old, new in zip(loop.results, totals, strict=True):
                old.replace_all_uses_with(new)
            loop.detach()
            loop.erase()


def is_whole(emitter: Emitter, start: StartOp, loop: ForOp) -> bool:
    """Whether the innermost loop has all iterations of its reduction loop, with step
    1."""
    term = next((op for op in loop.walk() if isinstance(op, TermOp)), None)
    if term is None:
        return False
    inner = term.parent_op()
    sizes = zip(start.sizes, term.sizes, strict=True)
    terms = [size for size, one in sizes if size != one]
    return isinstance(inner, ForOp) and trip_count(emitter, inner) == terms[-1]


@dataclass(frozen=True)
class SplitLongSumsPass(ModulePass):
    """Splits long sums into blocks, as defined by their schedules.

    Each block begins at zero, so that fewer roundings are relative to large partial
    sums. The sums of blocks of a contraction are added; those of other reductions are
    added with their rounding errors (`sched.two_sum`).

    Before:
    ```mlir
    func.func private @product(
        %x: memref<2x128xf32>, %w: memref<128x16xf32>, %y: memref<2x16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2,
          order = panels, cut = none, block = 64, accumulators = 4, prefetch_panel = no,
          prefetch_results = [], spread = 0, grain = none> why "2 = 1 x 2 rows" {
        linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : memref<2x128xf32>, memref<128x16xf32>) outs(%y : memref<2x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 128] : vector<2x16xf32>
      %t = scf.for %k = %c0 to %c128 step %c1 iter_args(%a = %start) -> (vector<2x16xf32>) {
        %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xf32>
        scf.yield %n : vector<2x16xf32>
      }
      sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 128] of %t : vector<2x16xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @product(
        %x: memref<2x128xf32>, %w: memref<128x16xf32>, %y: memref<2x16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<2x16xf32>
      %c64 = arith.constant 64 : index
      sched.nest @n0 #sched.register_tile<weight = none, rows = 2, vectors = 2,
          order = panels, cut = none, block = 64, accumulators = 4, prefetch_panel = no,
          prefetch_results = [], spread = 0, grain = none> why "2 = 1 x 2 rows" {
        linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
        linalg.generic {
          indexing_maps = [
            affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : memref<2x128xf32>, memref<128x16xf32>) outs(%y : memref<2x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 128] : vector<2x16xf32>
      %t = scf.for %b = %c0 to %c128 step %c64 iter_args(%a = %start) -> (vector<2x16xf32>) {
        %end = arith.addi %b, %c64 : index
        %u = scf.for %k = %b to %end step %c1 iter_args(%d = %zeros) -> (vector<2x16xf32>) {
          %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %d : vector<2x16xf32>
          scf.yield %n : vector<2x16xf32>
        }
        %sum = arith.addf %a, %u : vector<2x16xf32>
        scf.yield %sum : vector<2x16xf32>
      }
      sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 128] of %t : vector<2x16xf32>
      func.return
    }
    ```
    """

    name = "split-long-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            split_sums(kernel, target)
