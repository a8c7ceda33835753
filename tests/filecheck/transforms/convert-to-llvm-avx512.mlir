// RUN: devproc-opt %s -p convert-to-llvm --split-input-file | filecheck %s

// The stack is aligned to the vectors, of kernels and of entries.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: llvm.func internal @kernel
  // CHECK-SAME:    passthrough = {{\[\[}}"alignstack", "64"{{\]\]}}
  // CHECK:         llvm.call_intrinsic "llvm.ldexp.v16f32.v16i32"(%{{.*}}, %{{.*}}) : (vector<16xf32>, vector<16xi32>) -> vector<16xf32>
  func.func private @kernel(%x: memref<16xf32>, %n: memref<16xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
    %c0 = arith.constant 0 : index
    %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
    %b = vector.load %n[%c0] : memref<16xi32>, vector<16xi32>
    %r = simd.ldexp %a, %b : vector<16xf32>, vector<16xi32>
    vector.store %r, %x[%c0] : memref<16xf32>, vector<16xf32>
    func.return
  }
  // CHECK-LABEL: llvm.func internal @segment_0
  // CHECK-LABEL: llvm.func @segment_0_entry
  // CHECK-SAME:    passthrough = {{\[\[}}"alignstack", "64"{{\]\]}}
  func.func private @segment_0(%x: memref<16xf32>, %n: memref<16xi32>) {
    func.call @kernel(%x, %n) : (memref<16xf32>, memref<16xi32>) -> ()
    func.return
  }
}

// -----

// 128 bits are what every caller aligns it to.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "aarch64", vector_bits = 128, vector_registers = 32>>} {
  // CHECK-LABEL: llvm.func internal @kernel
  // CHECK-NOT:     alignstack
  // CHECK:         llvm.return
  func.func private @kernel(%x: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
    func.return
  }
}

// -----

// An instruction by name.
// CHECK-LABEL: llvm.func internal @kernel
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
func.func private @kernel(%x: memref<16xf32>, %n: memref<32xbf16>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %b = vector.load %n[%c0] : memref<32xbf16>, vector<32xbf16>
  %r = simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%a, %b, %b)
    : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  vector.store %r, %x[%c0] : memref<16xf32>, vector<16xf32>
  func.return
}
