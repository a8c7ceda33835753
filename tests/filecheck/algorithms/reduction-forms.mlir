// RUN: devproc-opt %s -p 'choose-schedules{algorithms=rows,padding,channels,row_parts,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' --split-input-file | filecheck %s

// Layer norm's core on AVX2, seven rows of 90: the sum of a row, then the sum of squared
// differences to the mean, then the quotients. The rows' own values (mean, 1 / deviation)
// are computed once for a row; the ragged end of a row is masked and adds nothing.
// CHECK-LABEL: @normalize
// CHECK:       scf.for %[[ROW:.*]] =
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load %x[%[[ROW]], %{{.*}}] : memref<7x90xf32>, vector<8xf32>
// CHECK:         vector.maskedload %x
// CHECK:         simd.select
// CHECK:         vector.reduction <add>
// CHECK:         %[[MEAN:.*]] = arith.mulf %{{.*}} : f32
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.broadcast %[[MEAN]] : f32 to vector<8xf32>
// CHECK-NEXT:      arith.subf
// CHECK:         vector.reduction <add>
// CHECK:         %[[SCALE:.*]] = math.rsqrt %{{.*}} : f32
// CHECK:         scf.for
// CHECK:           vector.broadcast %[[SCALE]] : f32 to vector<8xf32>
// CHECK:           vector.store
// CHECK:         vector.maskedstore
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 256>>} {
func.func private @normalize(%x: memref<7x90xf32>, %y: memref<7x90xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.layer_norm"]>} {
  %zero = arith.constant 0.0 : f32
  %nth = arith.constant 0.0111111111 : f32
  %sum = memref.alloca() : memref<7x1xf32>
  %mean = memref.alloca() : memref<7x1xf32>
  %square = memref.alloca() : memref<7x1xf32>
  %scale = memref.alloca() : memref<7x1xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<7x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<7x90xf32>) outs(%sum : memref<7x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %v, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i, 0)>],
    iterator_types = ["parallel"]
  } ins(%sum : memref<7x1xf32>) outs(%mean : memref<7x1xf32>) {
  ^bb0(%s: f32, %unused: f32):
    %r = arith.mulf %s, %nth : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%square : memref<7x1xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x, %mean : memref<7x90xf32>, memref<7x1xf32>) outs(%square : memref<7x1xf32>) {
  ^bb0(%v: f32, %m: f32, %acc: f32):
    %d = arith.subf %v, %m : f32
    %p = arith.mulf %d, %d : f32
    %r = arith.addf %p, %acc : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i, 0)>],
    iterator_types = ["parallel"]
  } ins(%square : memref<7x1xf32>) outs(%scale : memref<7x1xf32>) {
  ^bb0(%s: f32, %unused: f32):
    %v = arith.mulf %s, %nth : f32
    %r = math.rsqrt %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x, %mean, %scale : memref<7x90xf32>, memref<7x1xf32>, memref<7x1xf32>) outs(%y : memref<7x90xf32>) {
  ^bb0(%v: f32, %m: f32, %s: f32, %unused: f32):
    %d = arith.subf %v, %m : f32
    %r = arith.mulf %d, %s : f32
    linalg.yield %r : f32
  }
  func.return
}
}

// -----

// The largest of a row and its place, on SSE2: a lane keeps its own best and where it was,
// and the lanes are compared at the end. Of equal ones the first wins.
// CHECK-LABEL: @argmax
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load %x
// CHECK:           simd.cmpf
// CHECK:           simd.select
// CHECK:           simd.select
// CHECK:           scf.yield
// CHECK:         vector.reduction
// CHECK:         memref.store %{{.*}}, %at
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64", vector_bits = 128, missing = ["fma", "round", "half"]>>} {
func.func private @argmax(%x: memref<5x40xf32>, %at: memref<5xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "reduction", ["nn.argmax"]>} {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %best = memref.alloca() : memref<5xf32>
  linalg.fill ins(%lowest : f32) outs(%best : memref<5xf32>)
  linalg.fill ins(%none : i64) outs(%at : memref<5xi64>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%x : memref<5x40xf32>) outs(%best, %at : memref<5xf32>, memref<5xi64>) {
  ^bb0(%v: f32, %most: f32, %where: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %larger = arith.cmpf ogt, %v, %most : f32
    %a = arith.select %larger, %v, %most : f32
    %b = arith.select %larger, %here, %where : i64
    linalg.yield %a, %b : f32, i64
  }
  func.return
}
}
