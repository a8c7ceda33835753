"""Lowers tiles to machine vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from devproc.algorithms.base import TileEmitter
from devproc.dialects.dev import TargetAttr, target_of
from devproc.dialects.sched import NestOp
from devproc.dialects.sched.tile import PartOp
from devproc.ir.program.kernel_modules import host_kernels
from devproc.targets.cpu.transforms.loops.emitter import Emitter
from devproc.targets.cpu.transforms.tiles.scheduled import put_before, tiled_nests
from devproc.targets.cpu.transforms.tiles.unroller import Unroller
from devproc.targets.cpu.transforms.tiles.unused import erase_unused


def unroll_tiles(kernel: FuncOp, target: TargetAttr) -> None:
    """Replace all tiles of a kernel, and erase their nests."""
    found, ops = tiled_nests(kernel, target)
    if not ops:
        return
    emitter = Emitter(kernel.body.block)
    emitter.adopt()
    emitters: dict[str, TileEmitter] = {}
    for name, nest in found.items():
        tiling = nest.algorithm.tiling
        assert tiling is not None
        emitter.location = nest.op.location
        emitters[name] = tiling.emitter(nest.nest, nest.schedule, emitter, target)
        put_before(nest.op, emitter.take())
    unroller = Unroller(emitter, emitters)
    run: dict[Operation, None] = {}
    for op in list(kernel.body.block.ops):
        is_around = bool(op.regions) and not isinstance(op, NestOp)
        if is_around or isinstance(op, PartOp) or run.keys() & owners(op):
            run[op] = None
            continue
        unroller.block(list(run))
        put_before(op, emitter.take())
        run = {}
    unroller.erase_replaced()
    for nest in found.values():
        nest.op.detach()
        nest.op.erase()
    erase_unused(kernel.body.block)


def owners(op: Operation) -> set[Operation | Block]:
    """The owners of the operands of an op."""
    return {value.owner for value in op.operands}


@dataclass(frozen=True)
class UnrollTilesPass(ModulePass):
    """Lowers each vector of a tile to as many machine vectors as needed.

    The iterations of a tile along the vectorised loop are split into vectors of the
    size of a register; the excess lanes of the last one are masked. A loop over terms
    carries all sums of its tile. A nest without remaining tiles is erased.

    Before:
    ```mlir
    func.func private @product(
        %x: memref<2x40xf32>, %w: memref<40x16xf32>, %y: memref<2x16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c40 = arith.constant 40 : index
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
        } ins(%x, %w : memref<2x40xf32>, memref<40x16xf32>) outs(%y : memref<2x16xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          linalg.yield %s : f32
        }
      }
      %start = sched.start @n0 at [%c0, %c0, %c0] size [2, 16, 40] : vector<2x16xf32>
      %t = scf.for %k = %c0 to %c40 step %c1 iter_args(%a = %start) -> (vector<2x16xf32>) {
        %n = sched.term @n0 at [%c0, %c0, %k] size [2, 16, 1] to %a : vector<2x16xf32>
        scf.yield %n : vector<2x16xf32>
      }
      sched.finish @n0 at [%c0, %c0, %c0] size [2, 16, 40] of %t : vector<2x16xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @product(
        %x: memref<2x40xf32>, %w: memref<40x16xf32>, %y: memref<2x16xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c40 = arith.constant 40 : index
      %c8 = arith.constant 8 : index
      %zeros = arith.constant dense<0.0> : vector<8xf32>
      %t:4 = scf.for %k = %c0 to %c40 step %c1
          iter_args(%a = %zeros, %b = %zeros, %c = %zeros, %d = %zeros)
          -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
        %w0 = vector.load %w[%k, %c0] : memref<40x16xf32>, vector<8xf32>
        %w1 = vector.load %w[%k, %c8] : memref<40x16xf32>, vector<8xf32>
        %x0 = memref.load %x[%c0, %k] : memref<2x40xf32>
        %r0 = vector.broadcast %x0 : f32 to vector<8xf32>
        %n0 = vector.fma %r0, %w0, %a : vector<8xf32>
        %n1 = vector.fma %r0, %w1, %b : vector<8xf32>
        %x1 = memref.load %x[%c1, %k] : memref<2x40xf32>
        %r1 = vector.broadcast %x1 : f32 to vector<8xf32>
        %n2 = vector.fma %r1, %w0, %c : vector<8xf32>
        %n3 = vector.fma %r1, %w1, %d : vector<8xf32>
        scf.yield %n0, %n1, %n2, %n3
          : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
      }
      vector.store %t#0, %y[%c0, %c0] : memref<2x16xf32>, vector<8xf32>
      vector.store %t#1, %y[%c0, %c8] : memref<2x16xf32>, vector<8xf32>
      vector.store %t#2, %y[%c1, %c0] : memref<2x16xf32>, vector<8xf32>
      vector.store %t#3, %y[%c1, %c8] : memref<2x16xf32>, vector<8xf32>
      func.return
    }
    ```
    """

    name = "unroll-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in host_kernels(op):
            unroll_tiles(kernel, target)
