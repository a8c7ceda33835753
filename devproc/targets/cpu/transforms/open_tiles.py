"""Opens tiles: into sums term by term, or passes over a row."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import TileOp
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import put_before, tiled_nests


def open_tiles(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace each tile that its algorithm can open."""
    found, ops = tiled_nests(kernel, target)
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    for op in ops:
        nest = found[op.nest_name]
        tiling = nest.algorithm.tiling
        if not isinstance(op, TileOp) or tiling is None or tiling.open is None:
            continue
        emitter.location = op.location
        tiling.open(nest.nest, nest.schedule, emitter, target, op)
        made = emitter.take()
        if made:
            put_before(op, made)
            op.detach()
            op.erase()


@dataclass(frozen=True)
class OpenTilesPass(ModulePass):
    """Replaces a tile by its parts: sums with a loop over their terms, passes over a
    row.

    A tile of sums becomes their start, a loop that adds each term to one vector of the
    whole tile, and their finish with the epilogue. A row of a chain of reductions
    becomes its passes; values of the row are passed from one to the next. Other tiles
    are kept.

    Before:
    ```mlir
    func.func private @sums(%x: memref<100x40xf32>, %y: memref<40xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "40 contiguous results of 100 terms" {
        linalg.fill ins(%zero : f32) outs(%y : memref<40xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<100x40xf32>) outs(%y : memref<40xf32>) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
      sched.tile @n0 at [%c0, %c0] size [40, 100]
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @sums(%x: memref<100x40xf32>, %y: memref<40xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %c100 = arith.constant 100 : index
      %c1 = arith.constant 1 : index
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "40 contiguous results of 100 terms" {
        linalg.fill ins(%zero : f32) outs(%y : memref<40xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<100x40xf32>) outs(%y : memref<40xf32>) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
      %s = sched.start @n0 at [%c0, %c0] size [40, 100] : vector<40xf32>
      %t = scf.for %k = %c0 to %c100 step %c1 iter_args(%b = %s) -> (vector<40xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [40, 1] to %b : vector<40xf32>
        scf.yield %n : vector<40xf32>
      }
      sched.finish @n0 at [%c0, %c0] size [40, 100] of %t : vector<40xf32>
      func.return
    }
    ```
    """

    name = "open-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            open_tiles(kernel, target)
