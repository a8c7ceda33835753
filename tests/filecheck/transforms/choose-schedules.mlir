// RUN: devproc-opt %s -p choose-schedules | filecheck %s
// RUN: devproc-opt %s -p 'choose-schedules{algorithms=elements}' | filecheck %s --check-prefix=PLAIN

builtin.module attributes {devproc.schedules = [["relu*", #sched.vectors<loop = 1, lanes = 8, vectors = 2, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none>]],
    devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {

// A nest is the fill, the anchor and the epilogue.
// CHECK-LABEL: @linear
// CHECK: sched.nest @n0 #sched.register_tile<weight = #dev.layout<[0, 1], [16, 1]>, rows = 9,
// CHECK-SAME: why
// CHECK-NEXT: linalg.fill
// CHECK: arith.mulf
// CHECK: arith.maximumf
// PLAIN-LABEL: @linear
// PLAIN: sched.nest @n0 #sched.elements<
// PLAIN: sched.nest @n1 #sched.elements<
// PLAIN: sched.nest @n2 #sched.elements<
func.func private @linear(%x: memref<9x24xf32>, %w: memref<16x24xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>, %y: memref<9x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<9x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<9x24xf32>, memref<16x24xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>) outs(%y : memref<9x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%y : memref<9x16xf32>) outs(%y : memref<9x16xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// The user's choice, where the pattern matches.
// CHECK-LABEL: @relu_rows
// CHECK: sched.nest @n0 #sched.vectors<loop = 1, lanes = 8, vectors = 2, {{.*}} why "chosen by the user"
func.func private @relu_rows(%x: memref<7x40xf32>, %y: memref<7x64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j + 1)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<7x40xf32>) outs(%y : memref<7x64xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// A nest that has a schedule keeps it.
// CHECK-LABEL: @kept
// CHECK: sched.nest @mine #sched.elements<spread = 0, grain = none> why "by hand"
// CHECK-NOT: sched.nest
func.func private @kept(%x: memref<8xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.fill"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @mine #sched.elements<spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  }
  func.return
}

// Sums along two dimensions share no program of the GPU: two nests.
// CHECK-LABEL: @two_sums
// CHECK: sched.nest @n0 #sched.block_rows<rows = 4, width = 8, warps = 1> why "4 rows of 6 elements, 4 for each program"
// CHECK: sched.nest @n1 #sched.block_columns<columns = 8, height = 4, warps = 1> why "6 columns of 4 elements, 8 for each program"
func.func private @two_sums(%x: memref<4x6xf32, #dev.on<"cuda">>, %r: memref<4xf32, #dev.on<"cuda">>, %c: memref<6xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%r : memref<4xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%c : memref<6xf32, #dev.on<"cuda">>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }
  func.return
}

// Nothing to compute: an op on empty tensors goes.
// CHECK-LABEL: @nothing
// CHECK-NOT: linalg.
// CHECK: func.return
func.func private @nothing(%x: memref<0x6xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<0x6xf32, #dev.on<"cuda">>)
  func.return
}
}
