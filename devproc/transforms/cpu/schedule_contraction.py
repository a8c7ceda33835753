"""Contractions (linear, matmul, batched too): register tiles over packed panels."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.anchors import schedule_kernel
from devproc.transforms.cpu.loops.kernels import target_of


@dataclass(frozen=True)
class ScheduleContractionPass(ModulePass):
    """Contractions as tiles of accumulators that never leave the registers.

    A tile takes a few vectors of columns (here one) and as many rows as the registers
    allow (here both). Weights packed at compile time are read in order; the epilogue
    works on the accumulators.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @linear(%x: memref<2x4xf32>,
          %w: memref<16x4xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>,
          %b: memref<16xf32>, %y: memref<2x16xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
        %zero = arith.constant 0.0 : f32
        linalg.fill ins(%zero : f32) outs(%y : memref<2x16xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%x, %w : memref<2x4xf32>, memref<16x4xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>)
          outs(%y : memref<2x16xf32>) {
        ^bb0(%a: f32, %c: f32, %acc: f32):
          %p = arith.mulf %a, %c : f32
          %s = arith.addf %acc, %p : f32
          linalg.yield %s : f32
        }
        linalg.generic {
          indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                           affine_map<(m, n) -> (m, n)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%y, %b : memref<2x16xf32>, memref<16xf32>) outs(%y : memref<2x16xf32>) {
        ^bb0(%acc: f32, %bias: f32, %unused: f32):
          %s = arith.addf %acc, %bias : f32
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
      func.func private @linear(%x: memref<2x4xf32>,
          %w: memref<16x4xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>,
          %b: memref<16xf32>, %y: memref<2x16xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
        %c0 = arith.constant 0 : index
        %panels = plan.view %w : memref<16x4xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>
          -> memref<1x4x16xf32, #dev.on<"cpu">>
        %c1 = arith.constant 1 : index
        %c16 = arith.constant 16 : index
        %c2 = arith.constant 2 : index
        %none = arith.constant dense<0.0> : vector<16xf32>
        %c4 = arith.constant 4 : index
        %zero = arith.constant 0.0 : f32
        %row0, %row1 = scf.for %k = %c0 to %c4 step %c1
            iter_args(%acc0 = %none, %acc1 = %none) -> (vector<16xf32>, vector<16xf32>) {
          %wk = vector.load %panels[%c0, %k, %c0] : memref<1x4x16xf32, #dev.on<"cpu">>, vector<16xf32>
          %x0 = memref.load %x[%c0, %k] : memref<2x4xf32>
          %x0s = vector.broadcast %x0 : f32 to vector<16xf32>
          %s0 = vector.fma %x0s, %wk, %acc0 : vector<16xf32>
          %x1 = memref.load %x[%c1, %k] : memref<2x4xf32>
          %x1s = vector.broadcast %x1 : f32 to vector<16xf32>
          %s1 = vector.fma %x1s, %wk, %acc1 : vector<16xf32>
          scf.yield %s0, %s1 : vector<16xf32>, vector<16xf32>
        }
        %b0 = vector.load %b[%c0] : memref<16xf32>, vector<16xf32>
        %y0 = arith.addf %row0, %b0 : vector<16xf32>
        vector.store %y0, %y[%c0, %c0] : memref<2x16xf32>, vector<16xf32>
        %b1 = vector.load %b[%c0] : memref<16xf32>, vector<16xf32>
        %y1 = arith.addf %row1, %b1 : vector<16xf32>
        vector.store %y1, %y[%c1, %c0] : memref<2x16xf32>, vector<16xf32>
        func.return
      }
    }
    ```
    """

    name = "schedule-contraction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "contraction"):
            schedule_kernel(function, target, "contraction")
