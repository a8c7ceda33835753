// RUN: devproc-opt %s -p 'choose-schedules{algorithms=grouped_rows,rows},expand-schedules' --split-input-file | filecheck %s

// The rows of each matrix are found first: each is stored, and counted if the index of its
// matrix is this one. Tiles of six rows then read four columns of the matrix, each vector of
// it once (the fifth sum reads the first column again); the sums over lanes are one vector.
// Then come tiles of two rows.
// CHECK-LABEL: @experts
// CHECK:         scf.for %[[EXPERT:.*]] = %c0 to %c5 step %c1 {
// CHECK:           %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<30xi32
// CHECK-NEXT:      %[[COUNT:.*]] = scf.for %[[ROW:.*]] = %c0 to %c30 step %c1 iter_args(%[[FOUND:.*]] = %c0)
// CHECK:             memref.store %{{.*}}, %[[ROWS]][%[[FOUND]]]
// CHECK:             %[[OWN:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT:        %[[IS:.*]] = arith.cmpi eq, %[[OWN]], %[[EXPERT]]
// CHECK:             arith.select %[[IS]]
// CHECK:           scf.for %{{.*}} = %c0 to %[[COUNT]] step %c1020 {
// CHECK:             scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK:               scf.for %{{.*}} step %c6 {
// CHECK:                 %[[NUMBER:.*]] = memref.load %[[ROWS]]
// CHECK-NEXT:            %[[FIRST:.*]] = arith.index_cast %[[NUMBER]]
// CHECK:                 scf.for %[[K:.*]] = %c0 to %c64 step %c16
// CHECK:                   vector.load %{{.*}}[%[[FIRST]], %[[K]]]
// CHECK:                   vector.load %w[%[[EXPERT]], %[[COLUMN:.*]], %[[K]]]
// CHECK-COUNT-3:           vector.load %w[%[[EXPERT]],
// CHECK:                   vector.load %w[%[[EXPERT]], %[[COLUMN]], %[[K]]]
// CHECK-NOT:             vector.reduction
// CHECK:                 vector.store %{{.*}} : memref<30x8xf32>, vector<4xf32>
// CHECK:               scf.for %{{.*}} step %c2 {
// CHECK-COUNT-8:         vector.load %w[%[[EXPERT]],
// CHECK-NOT:             vector.load %w
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @experts(%e: memref<30x1x1xi64>, %x: memref<30x64x1xf32>, %w: memref<5x8x64xf32>, %y: memref<30x8x1xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.gather", "nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<30x8x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(s, n, k) -> (s, 0, 0)>, affine_map<(s, n, k) -> (s, k, 0)>, affine_map<(s, n, k) -> (s, n, 0)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%e, %x : memref<30x1x1xi64>, memref<30x64x1xf32>) outs(%y : memref<30x8x1xf32>) {
  ^bb0(%i: i64, %a: f32, %acc: f32):
    %least = arith.constant 0 : i64
    %most = arith.constant 4 : i64
    %low = arith.maxsi %i, %least : i64
    %high = arith.minsi %low, %most : i64
    %expert = arith.index_cast %high : i64 to index
    %n = linalg.index 1 : index
    %k = linalg.index 2 : index
    %b = memref.load %w[%expert, %n, %k] : memref<5x8x64xf32>
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
