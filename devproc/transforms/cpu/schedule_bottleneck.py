"""Inverted bottlenecks: a line of the result at a time."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.whole_kernels import schedule_whole


@dataclass(frozen=True)
class ScheduleBottleneckPass(ModulePass):
    """Expansion, depthwise window and projection, line by line: of the expanded image
    there are never more lines than a window has.

    Here an image of three lines, expanded from 2 to 4 channels; windows of two lines
    and one column. The loop over `%n_1` expands the lines that are not there yet, into
    a ring of two; a line of windows follows, and its projection.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @bottleneck(%x: memref<1x3x2x2xf32>, %e: memref<1x1x2x4xf32>,
          %d: memref<2x1x4xf32>, %p: memref<1x1x4x4xf32>, %y: memref<1x2x2x4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "bottleneck", ["nn.conv2d"]>} {
        %zero = arith.constant 0.0 : f32
        %m = memref.alloca() : memref<1x3x2x4xf32>
        linalg.fill ins(%zero : f32) outs(%m : memref<1x3x2x4xf32>)
        linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>,
          affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel",
          "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %e : memref<1x3x2x2xf32>, memref<1x1x2x4xf32>) outs(%m : memref<1x3x2x4xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %s = arith.mulf %a, %b : f32
          %sum = arith.addf %c, %s : f32
          linalg.yield %sum : f32
        }
        %m_1 = memref.alloca() : memref<1x2x2x4xf32>
        linalg.fill ins(%zero : f32) outs(%m_1 : memref<1x2x2x4xf32>)
        linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, c, i, j) -> (i, j, c)>,
          affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>], iterator_types = ["parallel",
          "parallel", "parallel", "parallel", "reduction", "reduction"]}
          ins(%m, %d : memref<1x3x2x4xf32>, memref<2x1x4xf32>) outs(%m_1 : memref<1x2x2x4xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %s = arith.mulf %a, %b : f32
          %sum = arith.addf %c, %s : f32
          linalg.yield %sum : f32
        }
        linalg.fill ins(%zero : f32) outs(%y : memref<1x2x2x4xf32>)
        linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>,
          affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel",
          "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%m_1, %p : memref<1x2x2x4xf32>, memref<1x1x4x4xf32>) outs(%y : memref<1x2x2x4xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %s = arith.mulf %a, %b : f32
          %sum = arith.addf %c, %s : f32
          linalg.yield %sum : f32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @bottleneck(%x: memref<1x3x2x2xf32>, %e: memref<1x1x2x4xf32>,
          %d: memref<2x1x4xf32>, %p: memref<1x1x4x4xf32>, %y: memref<1x2x2x4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "bottleneck", ["nn.conv2d"]>} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %image = plan.view %x : memref<1x3x2x2xf32> -> memref<3x2x2xf32>
        %filters = plan.view %e : memref<1x1x2x4xf32> -> memref<2x4xf32>
        %c4 = arith.constant 4 : index
        %zeros = arith.constant dense<0.000000e+00> : vector<4xf32>
        %windows = plan.view %d : memref<2x1x4xf32> -> memref<2x4xf32>
        %last = plan.view %p : memref<1x1x4x4xf32> -> memref<4x4xf32>
        %out = plan.view %y : memref<1x2x2x4xf32> -> memref<2x2x4xf32>
        %zero = arith.constant 0.000000e+00 : f32
        %ring = memref.alloca() {alignment = 64 : i64} : memref<2x2x4xf32, #dev.on<"cpu">>
        %line = memref.alloca() {alignment = 64 : i64} : memref<2x4xf32, #dev.on<"cpu">>
        %r = scf.for %n = %c0 to %c2 step %c1 iter_args(%acc = %c0) -> (index) {
          %i = arith.addi %n, %c2 : index
          scf.for %n_1 = %acc to %i step %c1 {
            %r_1, %r_2 = scf.for %n_2 = %c0 to %c2 step %c1
                iter_args(%acc_1 = %zeros, %acc_2 = %zeros) -> (vector<4xf32>, vector<4xf32>) {
              %v = vector.load %filters[%n_2, %c0] : memref<2x4xf32>, vector<4xf32>
              %l = memref.load %image[%n_1, %c0, %n_2] : memref<3x2x2xf32>
              %b = vector.broadcast %l : f32 to vector<4xf32>
              %s = vector.fma %b, %v, %acc_1 : vector<4xf32>
              %l_1 = memref.load %image[%n_1, %c1, %n_2] : memref<3x2x2xf32>
              %b_1 = vector.broadcast %l_1 : f32 to vector<4xf32>
              %s_1 = vector.fma %b_1, %v, %acc_2 : vector<4xf32>
              scf.yield %s, %s_1 : vector<4xf32>, vector<4xf32>
            }
            %slot = arith.remui %n_1, %c2 : index
            vector.store %r_1, %ring[%slot, %c0, %c0]
              : memref<2x2x4xf32, #dev.on<"cpu">>, vector<4xf32>
            %slot_1 = arith.remui %n_1, %c2 : index
            vector.store %r_2, %ring[%slot_1, %c1, %c0]
              : memref<2x2x4xf32, #dev.on<"cpu">>, vector<4xf32>
          }
          %r_3, %r_4 = scf.for %n_3 = %c0 to %c2 step %c1
              iter_args(%acc_3 = %zeros, %acc_4 = %zeros) -> (vector<4xf32>, vector<4xf32>) {
            %v_1 = vector.load %windows[%n_3, %c0] : memref<2x4xf32>, vector<4xf32>
            %i_1 = arith.addi %n, %n_3 : index
            %slot_2 = arith.remui %i_1, %c2 : index
            %v_2 = vector.load %ring[%slot_2, %c0, %c0]
              : memref<2x2x4xf32, #dev.on<"cpu">>, vector<4xf32>
            %s_2 = vector.fma %v_2, %v_1, %acc_3 : vector<4xf32>
            %i_2 = arith.addi %n, %n_3 : index
            %slot_3 = arith.remui %i_2, %c2 : index
            %v_3 = vector.load %ring[%slot_3, %c1, %c0]
              : memref<2x2x4xf32, #dev.on<"cpu">>, vector<4xf32>
            %s_3 = vector.fma %v_3, %v_1, %acc_4 : vector<4xf32>
            scf.yield %s_2, %s_3 : vector<4xf32>, vector<4xf32>
          }
          vector.store %r_3, %line[%c0, %c0] : memref<2x4xf32, #dev.on<"cpu">>, vector<4xf32>
          vector.store %r_4, %line[%c1, %c0] : memref<2x4xf32, #dev.on<"cpu">>, vector<4xf32>
          %r_5, %r_6 = scf.for %n_4 = %c0 to %c4 step %c1
              iter_args(%acc_5 = %zeros, %acc_6 = %zeros) -> (vector<4xf32>, vector<4xf32>) {
            %v_4 = vector.load %last[%n_4, %c0] : memref<4x4xf32>, vector<4xf32>
            %l_2 = memref.load %line[%c0, %n_4] : memref<2x4xf32, #dev.on<"cpu">>
            %b_2 = vector.broadcast %l_2 : f32 to vector<4xf32>
            %s_4 = vector.fma %b_2, %v_4, %acc_5 : vector<4xf32>
            %l_3 = memref.load %line[%c1, %n_4] : memref<2x4xf32, #dev.on<"cpu">>
            %b_3 = vector.broadcast %l_3 : f32 to vector<4xf32>
            %s_5 = vector.fma %b_3, %v_4, %acc_6 : vector<4xf32>
            scf.yield %s_4, %s_5 : vector<4xf32>, vector<4xf32>
          }
          vector.store %r_5, %out[%n, %c0, %c0] : memref<2x2x4xf32>, vector<4xf32>
          vector.store %r_6, %out[%n, %c1, %c0] : memref<2x2x4xf32>, vector<4xf32>
          scf.yield %i : index
        }
        func.return
      }
    }
    ```
    """

    name = "schedule-bottleneck"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_whole(op, "bottleneck")
