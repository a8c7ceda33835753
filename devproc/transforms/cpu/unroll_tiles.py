"""Tiles become machine vectors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from devproc.algorithms.base import TileEmitter
from devproc.dialects.dev import TargetAttr
from devproc.dialects.sched import NestOp
from devproc.dialects.sched.tile import PartOp
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import target_of
from devproc.transforms.cpu.tiles.scheduled import put_before, tiled_nests
from devproc.transforms.cpu.tiles.unroller import Unroller
from devproc.transforms.cpu.tiles.unused import erase_unused


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
    """What makes the operands of an op."""
    return {value.owner for value in op.operands}


@dataclass(frozen=True)
class UnrollTilesPass(ModulePass):
    """Makes machine vectors of tiles, and erases the nests that say what they compute.

    A vector of a whole tile becomes several as long as a register, perhaps with lanes to
    spare; each op of a tile is unrolled over them, in the order of the schedule.

    Before:
    ```mlir
    func.func private @sums(%x: memref<100x20xf32>, %y: memref<20xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c100 = arith.constant 100 : index
      %zero = arith.constant 0.0 : f32
      sched.nest @n0 #sched.vectors<loop = 0, lanes = 16, vectors = 8, inner = none,
          crossing = none, ragged = mask, block = none, split = none, grain = none>
          why "20 contiguous results of 100 terms" {
        linalg.fill ins(%zero : f32) outs(%y : memref<20xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<100x20xf32>) outs(%y : memref<20xf32>) {
        ^bb0(%a: f32, %sum: f32):
          %r = arith.addf %a, %sum : f32
          linalg.yield %r : f32
        }
      }
      %s = sched.start @n0 at [%c0, %c0] size [20, 100] : vector<20xf32>
      %t = scf.for %k = %c0 to %c100 step %c1 iter_args(%b = %s) -> (vector<20xf32>) {
        %n = sched.term @n0 at [%c0, %k] size [20, 1] to %b : vector<20xf32>
        scf.yield %n : vector<20xf32>
      }
      sched.finish @n0 at [%c0, %c0] size [20, 100] of %t : vector<20xf32>
      func.return
    }
    ```

    After:
    ```mlir
    func.func private @sums(%x: memref<100x20xf32>, %y: memref<20xf32>) attributes {
        dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c100 = arith.constant 100 : index
      %c16 = arith.constant 16 : index
      %zeros = arith.constant dense<0.0> : vector<16xf32>
      %mask = arith.constant dense<[true, true, true, true, false, false, false, false,
          false, false, false, false, false, false, false, false]> : vector<16xi1>
      %s, %t = scf.for %k = %c0 to %c100 step %c1 iter_args(%a = %zeros, %b = %zeros)
          -> (vector<16xf32>, vector<16xf32>) {
        %x0 = vector.load %x[%k, %c0] : memref<100x20xf32>, vector<16xf32>
        %s0 = arith.addf %x0, %a : vector<16xf32>
        %x1 = vector.maskedload %x[%k, %c16], %mask, %zeros
            : memref<100x20xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
        %s1 = arith.addf %x1, %b : vector<16xf32>
        scf.yield %s0, %s1 : vector<16xf32>, vector<16xf32>
      }
      vector.store %s, %y[%c0] : memref<20xf32>, vector<16xf32>
      vector.maskedstore %y[%c16], %mask, %t : memref<20xf32>, vector<16xi1>, vector<16xf32>
      func.return
    }
    ```
    """

    name = "unroll-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for kernel in cpu_kernels(op):
            unroll_tiles(kernel, target)
