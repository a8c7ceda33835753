// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},expand-schedules' --split-input-file | filecheck %s

// Winograd's inner product: rows are measured and copied, scaled, with minus the sums of
// their pairs. A tile begins each block with these sums; of three terms two go as a pair,
// which is an addition for each and one multiply-add. What fills no block is multiplied as
// it is. The other branch does that with all terms, each from where pairs want it. Results
// are scaled back.
// CHECK-LABEL: @linear
// CHECK:         %[[W:.*]] = plan.view %w : {{.*}} -> memref<3x116x16xf32, #dev.on<"cpu">>
// CHECK:         %[[COPY:.*]] = memref.alloca() {{.*}} : memref<1x2x2x48xf32
// CHECK:         %[[PAIRS:.*]] = memref.alloca() {{.*}} : memref<1x2x2xf32
// CHECK:         %[[REST:.*]] = memref.alloca() {{.*}} : memref<1x2x16xf32
// CHECK:         %[[INVERSES:.*]] = memref.alloca() {{.*}} : memref<1x2xf32
// CHECK:         %[[SCALES:.*]] = memref.alloca() {{.*}} : memref<2xf32
// CHECK:         %[[SPREADS:.*]] = memref.alloca() {{.*}} : memref<1xf32
// CHECK:         %[[TOTALS:.*]] = memref.alloca() {{.*}} : memref<2x16xf32
// CHECK:         vector.reduction <add>
// CHECK:         memref.store %{{.*}}, %[[SCALES]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[INVERSES]]
// CHECK:         %[[A:.*]] = arith.mulf
// CHECK-NEXT:    vector.store %[[A]], %[[COPY]]
// CHECK:         %[[B:.*]] = arith.mulf
// CHECK-NEXT:    vector.store %[[B]], %[[COPY]]
// CHECK:         vector.store %{{.*}}, %[[COPY]]
// CHECK-NEXT:    %[[AB:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:    arith.subf %{{.*}}, %[[AB]]
// CHECK-NEXT:    vector.fma %[[AB]], %[[AB]]
// CHECK-NEXT:    vector.reduction <add>
// CHECK-NEXT:    memref.store %{{.*}}, %[[PAIRS]]
// CHECK:         vector.store %{{.*}}, %[[REST]]
// CHECK:         memref.store %{{.*}}, %[[SPREADS]]
// CHECK:         %[[BOUND:.*]] = memref.load %[[W]]
// CHECK-NEXT:    %[[SPREAD:.*]] = memref.load %[[SPREADS]]
// CHECK-NEXT:    arith.cmpf ole, %[[SPREAD]], %[[BOUND]]
// CHECK-NEXT:    scf.if
// CHECK:           memref.load %[[PAIRS]]
// CHECK-NEXT:      vector.broadcast
// CHECK-NEXT:      arith.addf
// CHECK:           %[[FIRST:.*]] = vector.load %[[W]]
// CHECK:           %[[SECOND:.*]] = vector.load %[[W]]
// CHECK:           %[[SINGLE:.*]] = vector.load %[[W]]
// CHECK-COUNT-3:   memref.load %[[COPY]]
// CHECK:           %[[X:.*]] = arith.addf %{{.*}}, %[[SECOND]]
// CHECK:           %[[Y:.*]] = arith.addf %{{.*}}, %[[FIRST]]
// CHECK:           %[[Z:.*]] = vector.fma %{{.*}}, %[[SINGLE]]
// CHECK-NEXT:      vector.fma %[[X]], %[[Y]], %[[Z]]
// CHECK:           vector.store %{{.*}}, %[[TOTALS]]
// CHECK:         } else {
// CHECK-NOT:       memref.load %[[PAIRS]]
// CHECK:           arith.remui
// CHECK:           arith.divui
// CHECK-COUNT-2:   vector.fma
// CHECK-NEXT:      scf.yield
// CHECK:         memref.load %[[REST]]
// CHECK:         vector.store %{{.*}}, %[[TOTALS]]
// CHECK:         memref.load %[[INVERSES]]
// CHECK:         vector.load %[[TOTALS]]
// CHECK:         vector.store %{{.*}}, %y
// CHECK:         vector.maskedstore %y
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
func.func private @linear(%x: memref<2x112xf32>, %w: memref<40x112xf32, #dev.on<"cpu", #dev.inner_product<16, 48>>>, %y: memref<2x40xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "inner_product"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<2x40xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<2x112xf32>, memref<40x112xf32, #dev.on<"cpu", #dev.inner_product<16, 48>>>) outs(%y : memref<2x40xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A long sum is cut into slices, which the weight has one after the other: rows are copied
// slice by slice. The sums of tiles are added to those of the slices before; the epilogue
// follows the last slice.
// CHECK-LABEL: @long_sums
// CHECK:         %[[W:.*]] = plan.view %w : {{.*}} -> memref<6x196x16xf32, #dev.on<"cpu">>
// CHECK:         memref.alloca() {{.*}} : memref<4x2x8x96xf32
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<3x4x8x16xf32
// CHECK:         vector.store %{{.*}}, %[[SUMS]]
// CHECK:         scf.for %[[SLICE:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:      %[[TERM:.*]] = arith.muli %[[SLICE]], %c192
// CHECK:           %[[K:.*]] = arith.addi %[[TERM]]
// CHECK:           vector.load %x[%{{.*}}, %[[K]]]
// CHECK:           %[[BEFORE:.*]] = arith.muli %[[SLICE]], %c3
// CHECK-NEXT:      %[[PANEL:.*]] = arith.addi %[[BEFORE]]
// CHECK:           memref.load %[[W]][%[[PANEL]],
// CHECK:           %[[SUM:.*]] = vector.load %[[SUMS]]
// CHECK:           %[[TOTAL:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK-NEXT:      vector.store %[[TOTAL]], %[[SUMS]]
// CHECK:         vector.load %[[SUMS]]
// CHECK:         vector.store %{{.*}}, %y
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
func.func private @long_sums(%x: memref<32x384xf32>, %w: memref<40x384xf32, #dev.on<"cpu", #dev.inner_product<16, 96, 2>>>, %y: memref<32x40xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "inner_product"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32x40xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<32x384xf32>, memref<40x384xf32, #dev.on<"cpu", #dev.inner_product<16, 96, 2>>>) outs(%y : memref<32x40xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
