// RUN: devproc-opt %s -p 'choose-schedules{algorithms=weight_only,widened_panels,vectors},expand-schedules' --split-input-file | filecheck %s

// The algorithm of the weight's layout leaves many rows to `widened_panels`: rows are copied
// as for a float32 weight; each panel of two vectors is widened once, three vectors apart, then
// scaled, with minus the sums of its pairs; all tiles read it from there.
// CHECK-LABEL: @many_rows
// CHECK:         %[[COPY:.*]] = memref.alloca() {{.*}} : memref<8x1x8x96xf32
// CHECK:         vector.store %{{.*}}, %[[COPY]]
// CHECK:         %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<2x99x16xf32, #dev.on<"cpu">>
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           %[[SCALE:.*]] = arith.extf
// CHECK:           vector.load {{.*}} : memref<3x3x272xi32, #dev.on<"cpu">>, vector<16xi32>
// CHECK:           simd.sitofp
// CHECK:           arith.subf
// CHECK:           %[[WIDE:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK:           vector.store %[[WIDE]], %[[PANEL]]
// CHECK-NEXT:      vector.fma %[[WIDE]], %[[WIDE]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           %[[A:.*]] = arith.mulf
// CHECK-NEXT:      vector.store %[[A]], %[[PANEL]]
// CHECK:           %[[B:.*]] = arith.mulf
// CHECK-NEXT:      vector.store %[[B]], %[[PANEL]]
// CHECK:           arith.mulf %[[A]], %[[B]]
// CHECK:           arith.subf
// CHECK:         simd.cmpf ugt
// CHECK:         scf.if
// CHECK:           memref.load %[[PANEL]]
// CHECK:           scf.if
// CHECK:             vector.load %[[PANEL]]
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512vnni"], separate_adders = 1>>} {
func.func private @many_rows(%x: memref<64x96xf32>, %w: memref<80x96xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>, %y: memref<64x80xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x80xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<64x96xf32>, memref<80x96xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>) outs(%y : memref<64x80xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A long sum is cut into blocks of terms: rows are copied and panels are widened block by
// block. The sums of tiles are added to those of the blocks before; the epilogue follows.
// CHECK-LABEL: @long_sums
// CHECK:         memref.alloca() {{.*}} : memref<8x14x8x144xf32
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<6x8x8x16xf32
// CHECK:         vector.store %{{.*}}, %[[SUMS]]
// CHECK:         scf.for %[[BLOCK:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %[[TERM:.*]] = arith.muli %[[BLOCK]], %c2048
// CHECK:           %[[K:.*]] = arith.addi %[[TERM]]
// CHECK:           vector.load %{{.*}}[%{{.*}}, %[[K]]] : memref<64x4096xf32>
// CHECK:           memref.alloca() {{.*}} : memref<2x2064x16xf32
// CHECK:           %[[BEFORE:.*]] = vector.load %[[SUMS]]
// CHECK:           %[[TOTAL:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[BEFORE]]
// CHECK-NEXT:      vector.store %[[TOTAL]], %[[SUMS]]
// CHECK:         %[[SUM:.*]] = vector.load %[[SUMS]]
// CHECK:         arith.addf %[[SUM]]
// CHECK:         vector.store %{{.*}} : memref<64x80xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512vnni"], separate_adders = 1>>} {
func.func private @long_sums(%x: memref<64x4096xf32>, %w: memref<80x4096xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>, %y: memref<64x80xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x80xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<64x4096xf32>, memref<80x4096xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>) outs(%y : memref<64x80xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
