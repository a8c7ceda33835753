// RUN: devproc-opt %s -p 'choose-schedules{algorithms=elements},expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// A reduction keeps its accumulators in registers; two results share the loops.
// CHECK-LABEL: @row_argmax
// CHECK:       scf.for %[[I:.*]] =
// CHECK-NEXT:    %[[V0:.*]] = memref.load %{{.*}}[%[[I]]] : memref<3xf32>
// CHECK-NEXT:    %[[P0:.*]] = memref.load %{{.*}}[%[[I]]] : memref<3xi64>
// CHECK-NEXT:    %[[V:.*]], %[[P:.*]] = scf.for %[[J:.*]] = {{.*}} iter_args(%{{.*}} = %[[V0]], %{{.*}} = %[[P0]]) -> (f32, i64) {
// CHECK-NEXT:      memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK:           arith.index_cast %[[J]] : index to i64
// CHECK-COUNT-2:   arith.select
// CHECK-NEXT:      scf.yield
// CHECK:         memref.store %[[V]],
// CHECK-NEXT:    memref.store %[[P]],
func.func private @row_argmax(%x: memref<3x7xf32>, %v: memref<3xf32>, %p: memref<3xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.argmax"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<3x7xf32>) outs(%v, %p : memref<3xf32>, memref<3xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %a, %best : f32
    %nb = arith.select %c, %a, %best : f32
    %np = arith.select %c, %k, %at : i64
    linalg.yield %nb, %np : f32, i64
  }
  func.return
}

// A pointwise op loads no output; a large one is split over threads.
// CHECK-LABEL: @relu
// CHECK:       "scf.parallel"
// CHECK:         memref.load
// CHECK-NEXT:    arith.maximumf
// CHECK-NEXT:    memref.store
// CHECK:       grain = 64 : i64
func.func private @relu(%x: memref<512x256xf32>, %y: memref<512x256xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<512x256xf32>) outs(%y : memref<512x256xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// A packed weight is reached through a view of its physical shape.
// CHECK-LABEL: @packed
// CHECK:       %[[W:.*]] = plan.view %{{.*}} -> memref<2x8x16xf32, #dev.on<"cpu">>
// CHECK:       arith.divui
// CHECK:       arith.remui
// CHECK:       memref.load %[[W]]
func.func private @packed(%w: memref<20x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>, %y: memref<20x8xf32, #dev.on<"cpu">>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.cast"]>, sched.algorithm = "register_tile"} {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%w : memref<20x8xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>) outs(%y : memref<20x8xf32, #dev.on<"cpu">>) {
  ^bb0(%a: f32, %unused: f32):
    linalg.yield %a : f32
  }
  func.return
}

// Another device's kernels are left alone.
// CHECK-LABEL: @cuda_fill
// CHECK:       linalg.fill
func.func private @cuda_fill(%y: memref<4xf32>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.full"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  func.return
}

}
