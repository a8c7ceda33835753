"""Long sums of tiles, block by block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import StartOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import put_before, tiled_nests


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
        if not isinstance(loop, ForOp):
            continue
        emitter.location = op.location
        totals = tiling.split(nest.nest, nest.schedule, emitter, target, op)
        if totals:
            put_before(loop, emitter.take())
            for old, new in zip(loop.results, totals, strict=True):
                old.replace_all_uses_with(new)
            loop.detach()
            loop.erase()


@dataclass(frozen=True)
class SplitLongSumsPass(ModulePass):
    """Adds up long sums block by block, as their schedules say.

    Each block begins at zero; so fewer roundings meet large numbers. The sums of blocks
    are added with what their rounding loses (two-sum).

    Before:
    ```mlir
    func.func private @sums(%x: memref<200x40xf32>, %y: memref<40xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c200 = arith.constant 200 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none,
          crossing = none, ragged = mask, block = 64, split = none, grain = none>
          why "40 contiguous results of 200 terms" {
        linalg.fill ins(%zero : f32) outs(%y : memref<40xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<200x40xf32>) outs(%y : memref<40xf32>) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
      %s = sched.start @n0 at [%c0, %c0] size [40, 200] : vector<40xf32>
      %t = scf.for %k = %c0 to %c200 step %c1 iter_args(%b = %s) -> (vector<40xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [40, 1] to %b : vector<40xf32>
        scf.yield %n : vector<40xf32>
      }
      sched.finish @n0 at [%c0, %c0] size [40, 200] of %t : vector<40xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @sums(%x: memref<200x40xf32>, %y: memref<40xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c200 = arith.constant 200 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<40xf32>
      %c192 = arith.constant 192 : index
      %c64 = arith.constant 64 : index
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none,
          crossing = none, ragged = mask, block = 64, split = none, grain = none>
          why "40 contiguous results of 200 terms" {
        linalg.fill ins(%zero : f32) outs(%y : memref<40xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<200x40xf32>) outs(%y : memref<40xf32>) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
      %s = sched.start @n0 at [%c0, %c0] size [40, 200] : vector<40xf32>
      %total, %lost = scf.for %i = %c0 to %c192 step %c64
          iter_args(%b = %s, %l = %zeros) -> (vector<40xf32>, vector<40xf32>) {
        %end = arith.addi %i, %c64 : index
        %block = scf.for %k = %i to %end step %c1 iter_args(%a = %zeros) -> (vector<40xf32>) {
          %n = sched.term @n0 at [%c0, %k] size [40, 1] to %a : vector<40xf32>
          scf.yield %n : vector<40xf32>
        }
        %t, %u = sched.two_sum %b, %l, %block : vector<40xf32>
        scf.yield %t, %u : vector<40xf32>, vector<40xf32>
      }
      %rest = scf.for %k = %c192 to %c200 step %c1 iter_args(%a = %zeros) -> (vector<40xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [40, 1] to %a : vector<40xf32>
        scf.yield %n : vector<40xf32>
      }
      %t, %u = sched.two_sum %total, %lost, %rest : vector<40xf32>
      %sum = sched.join %t, %u : vector<40xf32>
      sched.finish @n0 at [%c0, %c0] size [40, 200] of %sum : vector<40xf32>
      func.return
    }
    ```
    """

    name = "split-long-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            split_sums(kernel, target)
