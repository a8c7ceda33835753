"""Attention: a tile of queries with all keys of its head."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from devproc.transforms.cpu.whole_kernels import schedule_whole


@dataclass(frozen=True)
class ScheduleAttentionPass(ModulePass):
    """Attention head by head; the scores of a few queries at a time.

    Here of one head: keys are turned over, into a panel; scores, a product with it, keep
    their maximum; exponentials take their place; values are weighted with these, and divided.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @attention(%q: memref<2x1xf32>, %k: memref<8x1xf32>, %v: memref<8x4xf32>,
          %y: memref<2x4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
        %zero = arith.constant 0.0 : f32
        %m = memref.alloca() : memref<2x8xf32>
        linalg.fill ins(%zero : f32) outs(%m : memref<2x8xf32>)
        linalg.generic {indexing_maps = [affine_map<(s, t, d) -> (s, d)>,
          affine_map<(s, t, d) -> (t, d)>, affine_map<(s, t, d) -> (s, t)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%q, %k : memref<2x1xf32>, memref<8x1xf32>)
          outs(%m : memref<2x8xf32>) {
        ^bb0(%x: f32, %x_1: f32, %x_2: f32):
          %s = arith.mulf %x, %x_1 : f32
          %sum = arith.addf %x_2, %s : f32
          linalg.yield %sum : f32
        }
        linalg.generic {indexing_maps = [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (s, t)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%m : memref<2x8xf32>) outs(%m : memref<2x8xf32>) {
        ^bb0(%x_3: f32, %x_4: f32):
          %half = arith.constant 0.5 : f32
          %s_1 = arith.mulf %x_3, %half : f32
          linalg.yield %s_1 : f32
        }
        %lowest = arith.constant -3.40282347e+38 : f32
        %m_1 = memref.alloca() : memref<2xf32>
        linalg.fill ins(%lowest : f32) outs(%m_1 : memref<2xf32>)
        linalg.generic {indexing_maps = [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (s)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%m : memref<2x8xf32>)
          outs(%m_1 : memref<2xf32>) {
        ^bb0(%x_5: f32, %x_6: f32):
          %max = arith.maximumf %x_5, %x_6 : f32
          linalg.yield %max : f32
        }
        linalg.generic {indexing_maps = [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (s)>,
          affine_map<(s, t) -> (s, t)>], iterator_types = ["parallel", "parallel"]}
          ins(%m, %m_1 : memref<2x8xf32>, memref<2xf32>)
          outs(%m : memref<2x8xf32>) {
        ^bb0(%x_7: f32, %x_8: f32, %x_9: f32):
          %d = arith.subf %x_7, %x_8 : f32
          %e = math.exp %d : f32
          linalg.yield %e : f32
        }
        %zero_1 = arith.constant 0.0 : f32
        %m_2 = memref.alloca() : memref<2xf32>
        linalg.fill ins(%zero_1 : f32) outs(%m_2 : memref<2xf32>)
        linalg.generic {indexing_maps = [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (s)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%m : memref<2x8xf32>)
          outs(%m_2 : memref<2xf32>) {
        ^bb0(%x_10: f32, %x_11: f32):
          %sum_1 = arith.addf %x_11, %x_10 : f32
          linalg.yield %sum_1 : f32
        }
        %zero_2 = arith.constant 0.0 : f32
        linalg.fill ins(%zero_2 : f32) outs(%y : memref<2x4xf32>)
        linalg.generic {indexing_maps = [affine_map<(s, t, d) -> (s, d)>,
          affine_map<(s, t, d) -> (d, t)>, affine_map<(s, t, d) -> (s, t)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%m, %v : memref<2x8xf32>, memref<8x4xf32>)
          outs(%y : memref<2x4xf32>) {
        ^bb0(%x_12: f32, %x_13: f32, %x_14: f32):
          %s_2 = arith.mulf %x_12, %x_13 : f32
          %sum_2 = arith.addf %x_14, %s_2 : f32
          linalg.yield %sum_2 : f32
        }
        linalg.generic {indexing_maps = [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (s)>,
          affine_map<(s, t) -> (s, t)>], iterator_types = ["parallel", "parallel"]}
          ins(%y, %m_2 : memref<2x4xf32>, memref<2xf32>)
          outs(%y : memref<2x4xf32>) {
        ^bb0(%x_15: f32, %x_16: f32, %x_17: f32):
          %r = arith.divf %x_15, %x_16 : f32
          linalg.yield %r : f32
        }
        func.return
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128,
        threads = 1, precision = "default", arch = "sm_90", interpret = false>} {
      func.func private @attention(%q: memref<2x1xf32>, %k: memref<8x1xf32>, %v: memref<8x4xf32>,
          %y: memref<2x4xf32>) attributes {
          dev.kernel = #dev.kernel<"cpu", "attention", ["nn.attention"]>} {
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c7 = arith.constant 7 : index
        %c3 = arith.constant 3 : index
        %mask = arith.constant dense<[true, false, false, false]> : vector<4xi1>
        %zeros = arith.constant dense<0.0> : vector<4xf32>
        %c8 = arith.constant 8 : index
        %lowests = arith.constant dense<-3.40282347e+38> : vector<4xf32>
        %nones = arith.constant dense<0xff800000> : vector<4xf32>
        %half = arith.constant 0.5 : f32
        %halfs = arith.constant dense<0.5> : vector<4xf32>
        %zero = arith.constant 0.0 : f32
        %lowest = arith.constant -3.40282347e+38 : f32
        %zero_1 = arith.constant 0.0 : f32
        %zero_2 = arith.constant 0.0 : f32
        %m = memref.alloca() {alignment = 64 : i64} : memref<2x8xf32, #dev.on<"cpu">>
        %m_1 = memref.alloca() {alignment = 64 : i64} : memref<2x2xf32, #dev.on<"cpu">>
        %m_2 = memref.alloca() {alignment = 64 : i64} : memref<1x1x8xf32, #dev.on<"cpu">>
        scf.for %n = %c0 to %c2 step %c1 {
          %i = arith.muli %n, %c4 : index
          %i_1 = arith.divui %n, %c2 : index
          %i_2 = arith.remui %n, %c2 : index
          %i_3 = arith.muli %i_2, %c4 : index
          %i_4 = arith.minui %i, %c7 : index
          %i_5 = arith.addi %i, %c1 : index
          %i_6 = arith.minui %i_5, %c7 : index
          %i_7 = arith.addi %i, %c2 : index
          %i_8 = arith.minui %i_7, %c7 : index
          %i_9 = arith.addi %i, %c3 : index
          %i_10 = arith.minui %i_9, %c7 : index
          %l = vector.maskedload %k[%i_4, %c0], %mask, %zeros
            : memref<8x1xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %l_1 = vector.maskedload %k[%i_6, %c0], %mask, %zeros
            : memref<8x1xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %l_2 = vector.maskedload %k[%i_8, %c0], %mask, %zeros
            : memref<8x1xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %l_3 = vector.maskedload %k[%i_10, %c0], %mask, %zeros
            : memref<8x1xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %t = vector.shuffle %l, %l_1 [0, 4, 2, 6] : vector<4xf32>, vector<4xf32>
          %t_1 = vector.shuffle %l, %l_1 [1, 5, 3, 7] : vector<4xf32>, vector<4xf32>
          %t_2 = vector.shuffle %l_2, %l_3 [0, 4, 2, 6] : vector<4xf32>, vector<4xf32>
          %t_3 = vector.shuffle %l_2, %l_3 [1, 5, 3, 7] : vector<4xf32>, vector<4xf32>
          %t_4 = vector.shuffle %t, %t_2 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
          %t_5 = vector.shuffle %t, %t_2 [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
          %t_6 = vector.shuffle %t_1, %t_3 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
          %t_7 = vector.shuffle %t_1, %t_3 [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
          vector.store %t_4, %m_2[%i_1, %c0, %i_3]
            : memref<1x1x8xf32, #dev.on<"cpu">>, vector<4xf32>
        }
        %l_4 = vector.load %m_2[%c0, %c0, %c0] : memref<1x1x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %l_5 = vector.load %m_2[%c0, %c0, %c4] : memref<1x1x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %q_1 = memref.load %q[%c0, %c0] : memref<2x1xf32>
        %b = vector.broadcast %q_1 : f32 to vector<4xf32>
        %acc = vector.fma %b, %l_4, %zeros : vector<4xf32>
        %acc_1 = vector.fma %b, %l_5, %zeros : vector<4xf32>
        %q_2 = memref.load %q[%c1, %c0] : memref<2x1xf32>
        %b_1 = vector.broadcast %q_2 : f32 to vector<4xf32>
        %acc_2 = vector.fma %b_1, %l_4, %zeros : vector<4xf32>
        %acc_3 = vector.fma %b_1, %l_5, %zeros : vector<4xf32>
        %s = arith.mulf %acc, %halfs : vector<4xf32>
        %more = simd.cmpf ogt, %s, %lowests : vector<4xf32> -> vector<4xi1>
        %max = simd.select %more, %s, %lowests : vector<4xi1>, vector<4xf32>
        vector.store %s, %m[%c0, %c0] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %s_1 = arith.mulf %acc_1, %halfs : vector<4xf32>
        %more_1 = simd.cmpf ogt, %s_1, %max : vector<4xf32> -> vector<4xi1>
        %max_1 = simd.select %more_1, %s_1, %max : vector<4xi1>, vector<4xf32>
        vector.store %s_1, %m[%c0, %c4] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %s_2 = arith.mulf %acc_2, %halfs : vector<4xf32>
        %more_2 = simd.cmpf ogt, %s_2, %lowests : vector<4xf32> -> vector<4xi1>
        %max_2 = simd.select %more_2, %s_2, %lowests : vector<4xi1>, vector<4xf32>
        vector.store %s_2, %m[%c1, %c0] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %s_3 = arith.mulf %acc_3, %halfs : vector<4xf32>
        %more_3 = simd.cmpf ogt, %s_3, %max_2 : vector<4xf32> -> vector<4xi1>
        %max_3 = simd.select %more_3, %s_3, %max_2 : vector<4xi1>, vector<4xf32>
        vector.store %s_3, %m[%c1, %c4] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
        %row = vector.reduction <maximumf>, %max_1 fastmath<reassoc> : vector<4xf32> into f32
        memref.store %row, %m_1[%c0, %c0] : memref<2x2xf32, #dev.on<"cpu">>
        %row_1 = vector.reduction <maximumf>, %max_3 fastmath<reassoc> : vector<4xf32> into f32
        memref.store %row_1, %m_1[%c0, %c1] : memref<2x2xf32, #dev.on<"cpu">>
        scf.for %n_1 = %c0 to %c2 step %c1 {
          %l_6 = memref.load %m_1[%c0, %n_1] : memref<2x2xf32, #dev.on<"cpu">>
          %l_7 = vector.load %m[%n_1, %c0] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
          %b_2 = vector.broadcast %l_6 : f32 to vector<4xf32>
          %d = arith.subf %l_7, %b_2 : vector<4xf32>
          %e = math.exp %d : vector<4xf32>
          vector.store %e, %m[%n_1, %c0] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
          %sum = arith.addf %zeros, %e : vector<4xf32>
          %l_8 = vector.load %m[%n_1, %c4] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
          %b_3 = vector.broadcast %l_6 : f32 to vector<4xf32>
          %d_1 = arith.subf %l_8, %b_3 : vector<4xf32>
          %e_1 = math.exp %d_1 : vector<4xf32>
          vector.store %e_1, %m[%n_1, %c4] : memref<2x8xf32, #dev.on<"cpu">>, vector<4xf32>
          %sum_1 = arith.addf %zeros, %e_1 : vector<4xf32>
          %sum_2 = arith.addf %sum, %sum_1 : vector<4xf32>
          %row_2 = vector.reduction <add>, %sum_2 fastmath<reassoc> : vector<4xf32> into f32
          memref.store %row_2, %m_1[%c1, %n_1] : memref<2x2xf32, #dev.on<"cpu">>
        }
        %out, %out_1 = scf.for %n_2 = %c0 to %c8 step %c1 iter_args(%a = %zeros, %a_1 = %zeros)
            -> (vector<4xf32>, vector<4xf32>) {
          %v_1 = vector.load %v[%n_2, %c0] : memref<8x4xf32>, vector<4xf32>
          %l_9 = memref.load %m[%c0, %n_2] : memref<2x8xf32, #dev.on<"cpu">>
          %b_4 = vector.broadcast %l_9 : f32 to vector<4xf32>
          %acc_4 = vector.fma %b_4, %v_1, %a : vector<4xf32>
          %l_10 = memref.load %m[%c1, %n_2] : memref<2x8xf32, #dev.on<"cpu">>
          %b_5 = vector.broadcast %l_10 : f32 to vector<4xf32>
          %acc_5 = vector.fma %b_5, %v_1, %a_1 : vector<4xf32>
          scf.yield %acc_4, %acc_5 : vector<4xf32>, vector<4xf32>
        }
        %l_11 = memref.load %m_1[%c1, %c0] : memref<2x2xf32, #dev.on<"cpu">>
        %b_6 = vector.broadcast %l_11 : f32 to vector<4xf32>
        %r = arith.divf %out, %b_6 : vector<4xf32>
        vector.store %r, %y[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
        %l_12 = memref.load %m_1[%c1, %c1] : memref<2x2xf32, #dev.on<"cpu">>
        %b_7 = vector.broadcast %l_12 : f32 to vector<4xf32>
        %r_1 = arith.divf %out_1, %b_7 : vector<4xf32>
        vector.store %r_1, %y[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
        func.return
      }
    }
    ```
    """

    name = "schedule-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        schedule_whole(op, "attention")
