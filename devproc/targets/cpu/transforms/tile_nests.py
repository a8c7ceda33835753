"""Loops around the tiles of a nest."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.algorithms import algorithm
from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import NestOp
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import (
    nests,
    scheduled,
    tile_ops,
)


def tile_kernel(kernel: FuncOp, target: TargetAttr) -> None:
    """Insert the loops around tiles after each nest whose algorithm has tiles."""
    tiled = {op.nest_name for op in tile_ops(kernel)}
    emitter = Emitter(kernel.body.block)
    for number, op in enumerate(nests(kernel)):
        if not algorithm(op.schedule.algorithm).tiled or op.nest_name in tiled:
            continue
        if op.sym_name is None:
            op.sym_name = StringAttr(f"tiled{number}")
        tile_nest(kernel, op, emitter, target)


def tile_nest(kernel: FuncOp, op: NestOp, emitter: Emitter, target: TargetAttr) -> None:
    """The loops of one nest."""
    found, name = scheduled(kernel, op, target), op.nest_name
    tiling = found.algorithm.tiling
    assert tiling is not None
    assert name is not None
    emitter.location = op.location
    tiling.loops(found.nest, op.schedule, emitter, target, name)
    kernel.body.block.insert_ops_after(emitter.take(), op)


@dataclass(frozen=True)
class TileNestsPass(ModulePass):
    """Emits the loops of a nest around its tiles, each one op that refers to the nest.

    The nest is kept as the definition of its tiles, and is erased with the
    last of its tiles (`unroll-tiles`). Its schedule defines the loops: their order, the
    size of a tile, the loop that is spread over threads.

    Before:
    ```mlir
    func.func private @relu(%x: memref<300xf32>, %y: memref<300xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 4, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "300 contiguous results" {
        linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]
        } ins(%x : memref<300xf32>) outs(%y : memref<300xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %r = arith.maximumf %a, %zero : f32
          linalg.yield %r : f32
        }
      }
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @relu(%x: memref<300xf32>, %y: memref<300xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
      %c0 = arith.constant 0 : index
      %c256 = arith.constant 256 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 4, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "300 contiguous results" {
        linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]
        } ins(%x : memref<300xf32>) outs(%y : memref<300xf32>) {
        ^bb0(%a: f32, %unused: f32):
          %r = arith.maximumf %a, %zero : f32
          linalg.yield %r : f32
        }
      }
      scf.for %i = %c0 to %c256 step %c64 {
        sched.tile @n0 at [%i] size [64]
      }
      sched.tile @n0 at [%c256] size [44]
      func.return
    }
    ```
    """

    name = "tile-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            tile_kernel(kernel, target)
