// RUN: devproc-opt %s -p expand-math | filecheck %s

// AVX-512 multiplies vectors by powers of two; a number is scaled in two steps.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @exp
  // CHECK:       simd.ldexp %{{.*}}, %{{.*}} : vector<8xf64>, vector<8xi64>
  // CHECK-NOT:   arith.shli
  // CHECK:       vector.store
  // CHECK-COUNT-2: arith.shli
  // CHECK-NOT:   simd.ldexp
  // CHECK:       func.return
  func.func private @exp(%x: memref<9xf64>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %a = vector.load %x[%c0] : memref<9xf64>, vector<8xf64>
    %b = memref.load %x[%c8] : memref<9xf64>
    %e = math.exp %a : vector<8xf64>
    vector.store %e, %x[%c0] : memref<9xf64>, vector<8xf64>
    %f = math.exp %b : f64
    memref.store %f, %x[%c8] : memref<9xf64>
    func.return
  }
}
