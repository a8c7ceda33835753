"""Windows (convolution, pooling): vectors along the width of the image.

A convolution is a contraction whose rows are output channels and whose columns are
pixels of a line: filters are read one number at a time, the image in vectors, so weights
need no packing. Pooling is a reduction along the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.ir.program.kernel_modules import cpu_kernels
from devproc.transforms.cpu.anchors import schedule_kernel
from devproc.transforms.cpu.loops.kernels import target_of


@dataclass(frozen=True)
class ScheduleWindowPass(ModulePass):
    """Convolutions as register tiles of channels and pixels, pools as vectors of pixels.

    Here both output channels and a line of sixteen pixels are one tile.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @conv(%x: memref<1x1x4x18xf32>, %w: memref<2x1x3x3xf32>,
          %y: memref<1x2x2x16xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
        %zero = arith.constant 0.0 : f32
        linalg.fill ins(%zero : f32) outs(%y : memref<1x2x2x16xf32>)
        linalg.generic {
          indexing_maps = [affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>,
                           affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>,
                           affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel",
                            "reduction", "reduction", "reduction"]
        } ins(%x, %w : memref<1x1x4x18xf32>, memref<2x1x3x3xf32>)
          outs(%y : memref<1x2x2x16xf32>) {
        ^bb0(%a: f32, %f: f32, %acc: f32):
          %p = arith.mulf %a, %f : f32
          %s = arith.addf %acc, %p : f32
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
      func.func private @conv(%x: memref<1x1x4x18xf32>, %w: memref<2x1x3x3xf32>,
          %y: memref<1x2x2x16xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
        %c0 = arith.constant 0 : index
        %image = plan.view %x : memref<1x1x4x18xf32> -> memref<4x18xf32>
        %filters = plan.view %w : memref<2x1x3x3xf32> -> memref<2x3x3xf32>
        %out = plan.view %y : memref<1x2x2x16xf32> -> memref<2x2x16xf32>
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c16 = arith.constant 16 : index
        %none = arith.constant dense<0.0> : vector<16xf32>
        %c3 = arith.constant 3 : index
        %zero = arith.constant 0.0 : f32
        scf.for %h = %c0 to %c2 step %c1 {
          %o0, %o1 = scf.for %p = %c0 to %c3 step %c1
              iter_args(%a0 = %none, %a1 = %none) -> (vector<16xf32>, vector<16xf32>) {
            %l0, %l1 = scf.for %q = %c0 to %c3 step %c1
                iter_args(%b0 = %a0, %b1 = %a1) -> (vector<16xf32>, vector<16xf32>) {
              %line = arith.addi %h, %p : index
              %pixels = vector.load %image[%line, %q] : memref<4x18xf32>, vector<16xf32>
              %f0 = memref.load %filters[%c0, %p, %q] : memref<2x3x3xf32>
              %f0s = vector.broadcast %f0 : f32 to vector<16xf32>
              %s0 = vector.fma %f0s, %pixels, %b0 : vector<16xf32>
              %f1 = memref.load %filters[%c1, %p, %q] : memref<2x3x3xf32>
              %f1s = vector.broadcast %f1 : f32 to vector<16xf32>
              %s1 = vector.fma %f1s, %pixels, %b1 : vector<16xf32>
              scf.yield %s0, %s1 : vector<16xf32>, vector<16xf32>
            }
            scf.yield %l0, %l1 : vector<16xf32>, vector<16xf32>
          }
          vector.store %o0, %out[%c0, %h, %c0] : memref<2x2x16xf32>, vector<16xf32>
          vector.store %o1, %out[%c1, %h, %c0] : memref<2x2x16xf32>, vector<16xf32>
        }
        func.return
      }
    }
    ```
    """

    name = "schedule-window"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for function in cpu_kernels(op, "window"):
            schedule_kernel(function, target, "window")
