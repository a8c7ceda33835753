"""Reductions: along contiguous columns by rows, else along a contiguous row loop.

Gathers with taps (resampling) are reductions of the second form: each output element
sums a few picked elements, and neighbours are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.algorithms import algorithm
from devproc.algorithms.base import Choice, KernelOps
from devproc.algorithms.vectors.vector_nest import VectorNest
from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.groups import match_group
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.loops.kernels import (
    is_parallel,
    structured_ops,
    target_of,
)
from devproc.transforms.cpu.nests.nest_emitter import can_vectorize_nest, vector_loop


def schedule_along_outputs(function: FuncOp, vector_bits: int, threads: int) -> None:
    """Each reduction whose results are contiguous along a parallel loop, as vectors."""
    emitter = Emitter(function.body.block)
    ops = structured_ops(function)
    for position, op in enumerate(ops):
        if op.parent is None or all(is_parallel(op)):
            continue
        nest = match_group(ops, position)
        nest.simplify()
        loop = vector_loop(nest)
        if loop is not None and can_vectorize_nest(nest, loop):
            emitter.location = op.location
            VectorNest(nest, loop, emitter, vector_bits, threads).emit()
            emitter.replace(nest.ops)


@dataclass(frozen=True)
class ScheduleReductionPass(ModulePass):
    """Vectorises reductions and the chains around them.

    A row's columns are read in vectors, each into an accumulator of its own.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @sum(%x: memref<4x16xf32>, %y: memref<4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
        %zero = arith.constant 0.0 : f32
        linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : memref<4x16xf32>) outs(%y : memref<4xf32>) {
        ^bb0(%a: f32, %acc: f32):
          %s = arith.addf %acc, %a : f32
          linalg.yield %s : f32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @sum(%x: memref<4x16xf32>, %y: memref<4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c1 = arith.constant 1 : index
        %none = arith.constant dense<0.0> : vector<16xf32>
        %c16 = arith.constant 16 : index
        %zero = arith.constant 0.0 : f32
        scf.for %i = %c0 to %c4 step %c1 {
          %a = vector.load %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>
          %s = arith.addf %none, %a : vector<16xf32>
          %across = vector.reduction <add>, %s fastmath<reassoc> : vector<16xf32> into f32
          %sum = arith.addf %zero, %across : f32
          memref.store %sum, %y[%i] : memref<4xf32>
        }
        func.return
      }
    }
    ```
    """

    name = "schedule-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        vector_bits, threads = target.vector_bits.data, target.threads.data
        for function in cpu_kernels(op, "gather"):
            schedule_along_outputs(function, vector_bits, threads)
        for function in cpu_kernels(op, "reduction"):
            rows, ops = algorithm("rows"), structured_ops(function)
            for chain in rows.match(KernelOps(ops, "reduction")):
                decision = rows.plan(chain, "reduction", target)
                if isinstance(decision, Choice):
                    emitter = Emitter(function.body.block)
                    emitter.location = ops[0].location
                    rows.expand(chain, decision.schedule, emitter, target)
                    emitter.replace(chain.ops)
                    break
            else:
                schedule_along_outputs(function, vector_bits, threads)
