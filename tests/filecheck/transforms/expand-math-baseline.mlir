// RUN: devproc-opt %s -p expand-math | filecheck %s

// Without a fused multiply-add and without a rounding instruction: products and sums, and
// the sum with 2**23, whose last place is 1.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64", vector_bits = 128, missing = ["fma", "round", "half"]>>} {
  // CHECK-LABEL: @fma_then_floor
  // CHECK:       %[[P:.*]] = arith.mulf %[[A:.*]], %[[B:.*]] : vector<4xf32>
  // CHECK-NEXT:  arith.addf %[[P]], %[[A]] : vector<4xf32>
  // CHECK-NEXT:  math.absf
  // CHECK-NEXT:  arith.addf
  // CHECK-NEXT:  arith.subf
  // CHECK-NEXT:  math.copysign
  // CHECK-NOT:   math.floor
  // CHECK:       func.return
  func.func private @fma_then_floor(%x: memref<8xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.floor"]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %a = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
    %b = vector.load %x[%c4] : memref<8xf32>, vector<4xf32>
    %f = vector.fma %a, %b, %a : vector<4xf32>
    %r = math.floor %f : vector<4xf32>
    vector.store %r, %x[%c0] : memref<8xf32>, vector<4xf32>
    func.return
  }

  // CHECK-LABEL: @exp_of_a_vector
  // CHECK-NOT:   fma
  // CHECK:       func.return
  func.func private @exp_of_a_vector(%x: memref<4xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
    %r = math.exp %a : vector<4xf32>
    vector.store %r, %x[%c0] : memref<4xf32>, vector<4xf32>
    func.return
  }
}
