// RUN: devproc-opt %s --split-input-file --to-stage schedules | filecheck %s --check-prefix=SCHEDULE
// RUN: devproc-opt %s --split-input-file --to-stage gpu | filecheck %s

// A causal mask bounds the loops: whole blocks without a mask, then those at the diagonal.
// SCHEDULE: sched.nest @n0 #sched.flash<queries = 64, keys = 64, warps = 4, stages = 3, mask = skip, precision = ieee> why "2 heads of 70 rows are 2 x 2 programs" {
// CHECK-LABEL: triton.func @attention
// CHECK-SAME:    (%q: !triton.ptr<bf16>, %k: !triton.ptr<bf16>, %v: !triton.ptr<bf16>, %{{.*}}: !triton.ptr<bf16>)
// CHECK-SAME:    grid = array<i64: 4, 1, 1>, num_warps = 4 : i32, num_stages = 3 : i32
// CHECK:         scf.for
// CHECK-NOT:       triton.where
// CHECK:           triton.dot {{.*}} : tensor<64x16xbf16>, tensor<16x64xbf16> -> tensor<64x64xf32>
// CHECK-NOT:       triton.where
// CHECK:           triton.cast "truncf" {{.*}} : tensor<64x64xf32> -> tensor<64x64xbf16>
// CHECK:           triton.dot {{.*}} : tensor<64x64xbf16>, tensor<64x32xbf16> -> tensor<64x32xf32>
// CHECK:           scf.yield
// CHECK:         scf.for
// CHECK:           triton.compare "sle"
// CHECK:           triton.where
// CHECK:           scf.yield
// CHECK:         arith.divf
// CHECK:         triton.store
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func private @main(%q: tensor<2x70x16xbf16>, %k: tensor<2x70x16xbf16>, %v: tensor<2x70x24xbf16>) -> tensor<2x70x24xbf16> {
  %r = nn.attention %q, %k, %v scale 0.25 : f64 empty 0 band [-69, 0] : (tensor<2x70x16xbf16>, tensor<2x70x16xbf16>, tensor<2x70x24xbf16>) -> tensor<2x70x24xbf16>
  func.return %r : tensor<2x70x24xbf16>
}
}

// -----

// Operands and result in the rows of a layer; keys in parts, and the kernel that adds them.
// SCHEDULE: #sched.flash<queries = 16, keys = 32, warps = 4, stages = 3, mask = apply, precision = tf32x3> why "8 heads of 3 rows are 8 x 1 programs"
// SCHEDULE: #sched.block_rows
// CHECK-LABEL: triton.func @attention
// CHECK-SAME:    grid = array<i64: 8, 1, 1>
// CHECK-COUNT-3: triton.store
// CHECK-LABEL: triton.func @attention_1
// CHECK:         triton.reduce "max"
// CHECK-NOT:     triton.func
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func private @main(%x: tensor<2x1x6x16xf32>, %k: tensor<2x256x2x16xf32>) -> tensor<2x1x96xf32> {
  %q = nn.transpose %x by [0, 2, 1, 3] : (tensor<2x1x6x16xf32>) -> tensor<2x6x1x16xf32>
  %h = nn.transpose %k by [0, 2, 1, 3] : (tensor<2x256x2x16xf32>) -> tensor<2x2x256x16xf32>
  %g = nn.reshape %h to [2, 2, 1, 256, 16] : (tensor<2x2x256x16xf32>) -> tensor<2x2x1x256x16xf32>
  %e = nn.expand %g to [2, 2, 3, 256, 16] : (tensor<2x2x1x256x16xf32>) -> tensor<2x2x3x256x16xf32>
  %f = nn.reshape %e to [2, 6, 256, 16] : (tensor<2x2x3x256x16xf32>) -> tensor<2x6x256x16xf32>
  %a = nn.attention %q, %f, %f scale 0.25 : f64 empty 0 : (tensor<2x6x1x16xf32>, tensor<2x6x256x16xf32>, tensor<2x6x256x16xf32>) -> tensor<2x6x1x16xf32>
  %t = nn.transpose %a by [0, 2, 1, 3] : (tensor<2x6x1x16xf32>) -> tensor<2x1x6x16xf32>
  %r = nn.reshape %t to [2, 1, 96] : (tensor<2x1x6x16xf32>) -> tensor<2x1x96xf32>
  func.return %r : tensor<2x1x96xf32>
}
}

// -----

// A cache in parts: each reads the position, and the rows of its own that are in use.
// CHECK-LABEL: triton.func @cached_attention
// CHECK-SAME:    %last: !triton.ptr<i64>
// CHECK-SAME:    grid = array<i64: 16, 1, 1>
// CHECK:         %last_1 = triton.load %last : !triton.ptr<i64> -> i64
// CHECK:         arith.minsi %last_1
// CHECK:         arith.maxsi
// CHECK:         triton.cast "trunci"
// CHECK:         arith.subi
// CHECK:         %[[MOST:.*]] = arith.maxsi
// CHECK:         %[[END:.*]] = arith.minsi %[[MOST]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]] step
// CHECK:           triton.load {{.*}} mask {{.*}} -> tensor<16x64xbf16>
// CHECK:           triton.dot
// CHECK:           triton.where
// CHECK:           triton.load {{.*}} mask {{.*}} -> tensor<64x16xbf16>
// CHECK:           triton.dot
// CHECK:           scf.yield
// CHECK-NOT:     scf.for
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
func.func private @main(%q: tensor<2x4x16xbf16>, %k: tensor<2x1024x16xbf16>, %last: tensor<1xi64>) -> tensor<2x4x16xbf16> {
  %r = nn.cached_attention %q, %k, %k last %last scale 0.25 : f64 empty 1 : (tensor<2x4x16xbf16>, tensor<2x1024x16xbf16>, tensor<2x1024x16xbf16>, tensor<1xi64>) -> tensor<2x4x16xbf16>
  func.return %r : tensor<2x4x16xbf16>
}
}
