// RUN: devproc-opt %s -t triton-source | filecheck %s

// CHECK:      import triton
// CHECK-NEXT: import triton.language as tl
// CHECK:      @triton.jit
// CHECK-NEXT: def scale(x_ptr, out_ptr, n):
// CHECK-NEXT:     """nn.mul of scale at model.py:7
// CHECK-EMPTY:
// CHECK-NEXT:     4 x 1 x 1 programs of 4 warps.
// CHECK-NEXT:     """
// CHECK-NEXT:     pid = tl.program_id(0)
// CHECK-NEXT:     i = pid * 64 + tl.arange(0, 64)
// CHECK-NEXT:     mask = i < n
// CHECK-NEXT:     x = tl.load(x_ptr + i, mask=mask, other=0.0)
// CHECK-NEXT:     acc = tl.full([64], 0.0, tl.float32)
// CHECK-NEXT:     for k in range(0, 3):
// CHECK-NEXT:         acc = acc + x
// CHECK-NEXT:     tl.store(out_ptr + i, acc.to(tl.float16), mask=mask)
triton.func @scale(%x: !triton.ptr<f32>, %out: !triton.ptr<f16>, %n: i32) attributes {grid = array<i64: 4, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.mul"]>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %size = arith.constant 64 : i32
  %none = arith.constant 0.0 : f32
  %pid = triton.program_id 0 : i32
  %start = arith.muli %pid, %size : i32
  %starts = triton.splat %start : i32 -> tensor<64xi32>
  %lanes = triton.arange : tensor<64xi32>
  %i = arith.addi %starts, %lanes : tensor<64xi32>
  %ns = triton.splat %n : i32 -> tensor<64xi32>
  %mask = triton.compare "slt" %i, %ns : tensor<64xi32> -> tensor<64xi1>
  %p = triton.addptr %x, %i : !triton.ptr<f32>, tensor<64xi32> -> tensor<64x!triton.ptr<f32>>
  %nones = triton.splat %none : f32 -> tensor<64xf32>
  %x_1 = triton.load %p mask %mask : tensor<64xi1> other %nones : tensor<64xf32> : tensor<64x!triton.ptr<f32>> -> tensor<64xf32>
  %sum = scf.for %k = %zero to %three step %one iter_args(%acc = %nones) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %acc, %x_1 : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %half = triton.cast "truncf" %sum : tensor<64xf32> -> tensor<64xf16>
  %q = triton.addptr %out, %i : !triton.ptr<f16>, tensor<64xi32> -> tensor<64x!triton.ptr<f16>>
  triton.store %q, %half mask %mask : tensor<64xi1> : tensor<64x!triton.ptr<f16>>, tensor<64xf16>
  triton.return
} loc("scale"("model.py":7:0))

// The name of a kernel may be a keyword of Python.
// CHECK:      @triton.jit
// CHECK-NEXT: def and_(x_ptr):
triton.func @and(%x: !triton.ptr<f32>) attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32, dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.and"]>} {
  triton.return
}
