// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {

// 49 rows in seven tiles of seven, two full panels of 48 and a ragged one of 4 columns:
// 21 accumulators, then 7. The panels are spread over threads.
// CHECK-LABEL: @linear_relu
// CHECK:       plan.view %w : {{.*}} -> memref<3x64x48xf32, #dev.on<"cpu">>
// CHECK:       "scf.parallel"
// CHECK:         scf.if
// CHECK:             scf.for
// CHECK-COUNT-3:       vector.load %{{.*}} : memref<3x64x48xf32, #dev.on<"cpu">>, vector<16xf32>
// CHECK-COUNT-21:      vector.fma
// CHECK-NEXT:          scf.yield
// CHECK:             arith.maximumf
// CHECK:             vector.store
// CHECK:         } else {
// CHECK:             scf.for
// CHECK-COUNT-7:       vector.fma
// CHECK-NEXT:          scf.yield
// CHECK:             vector.maskedstore
// CHECK-NOT:   linalg
func.func private @linear_relu(%x: memref<49x64xf32>, %w: memref<100x64xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<49x100xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<49x100xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<49x64xf32>, memref<100x64xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<49x100xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%y : memref<49x100xf32>) outs(%y : memref<49x100xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}

// One row: several terms at a time hide the latency; a long sum goes in blocks of 64.
// CHECK-LABEL: @one_row
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-8:   vector.fma
// CHECK-NEXT:      scf.yield
// CHECK-COUNT-8: arith.addf
// CHECK:       vector.store
func.func private @one_row(%x: memref<1x1024xf32>, %w: memref<1024x32xf32>, %y: memref<1x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x32xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x1024xf32>, memref<1024x32xf32>) outs(%y : memref<1x32xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}

}
