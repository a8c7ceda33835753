// RUN: devproc-opt %s -p 'choose-schedules{algorithms=rows,padding,channels,row_parts,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {

// Softmax: the rows over threads; the largest, the exponentials with their sum, the
// quotients. The sum starts from the exponentials in registers.
// CHECK-LABEL: @softmax
// CHECK:       "scf.parallel"
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           arith.maximumf
// CHECK:         %[[MAX:.*]] = vector.reduction <maximumf>
// CHECK:         %[[MOST:.*]] = arith.maximumf %{{.*}}, %[[MAX]] : f32
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load %a
// CHECK:           vector.broadcast %[[MOST]] : f32 to vector<16xf32>
// CHECK:           %[[E:.*]] = math.exp
// CHECK:           vector.store %[[E]], %y
// CHECK:           arith.addf %[[E]]
// CHECK:         vector.reduction <add>, %{{.*}} fastmath<reassoc>
// CHECK:         scf.for
// CHECK:           arith.divf
// CHECK:           vector.store
// CHECK-NOT:   linalg
// CHECK:       grain = 4 : i64
func.func private @softmax(%a: memref<64x256xf32>, %y: memref<64x256xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.softmax"]>} {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloca() : memref<64x1xf32>
  %s = memref.alloca() : memref<64x1xf32>
  linalg.fill ins(%lowest : f32) outs(%m : memref<64x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<64x256xf32>) outs(%m : memref<64x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.maximumf %v, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %m : memref<64x256xf32>, memref<64x1xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%v: f32, %most: f32, %unused: f32):
    %d = arith.subf %v, %most : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<64x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%y : memref<64x256xf32>) outs(%s : memref<64x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %v, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%y, %s : memref<64x256xf32>, memref<64x1xf32>) outs(%y : memref<64x256xf32>) {
  ^bb0(%e: f32, %total: f32, %unused: f32):
    %r = arith.divf %e, %total : f32
    linalg.yield %r : f32
  }
  func.return
}

// Over the first axis: neighbouring results are one vector, no lane meets another; a long
// sum goes in blocks, and its roundings are carried along.
// CHECK-LABEL: @column_sums
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load %x
// CHECK:           arith.addf
// CHECK:         arith.subf
// CHECK:       simd.cmpf uno
// CHECK:       vector.store
// CHECK-NOT:   vector.reduction
func.func private @column_sums(%x: memref<1000x16xf32>, %y: memref<16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.reduce_sum"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<1000x16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %v, %acc : f32
    linalg.yield %r : f32
  }
  func.return
}

// No start, no identity: left to lower-linalg-to-loops.
// CHECK-LABEL: @unknown_combination
// CHECK:       linalg.generic
func.func private @unknown_combination(%x: memref<64xf32>, %y: memref<f32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.scan"]>} {
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
    iterator_types = ["reduction"]
  } ins(%x : memref<64xf32>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.subf %v, %acc : f32
    linalg.yield %r : f32
  }
  func.return
}

}
