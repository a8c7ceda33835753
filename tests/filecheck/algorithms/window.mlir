// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {

// Six channels of sixteen pixels are one tile; the filters of a tile stay while the image
// passes.
// CHECK-LABEL: @conv
// CHECK:       scf.for %[[TILE:.*]] =
// CHECK:         scf.for %[[LINE:.*]] =
// CHECK:           scf.for %[[C:.*]] = {{.*}} iter_args
// CHECK:             scf.for %[[P:.*]] = {{.*}} iter_args
// CHECK:               scf.for %[[Q:.*]] = {{.*}} iter_args
// CHECK-COUNT-12:        vector.fma
// CHECK:           vector.store
// CHECK-NOT:   linalg
func.func private @conv(%x: memref<1x4x18x18xf32>, %w: memref<12x4x3x3xf32>, %y: memref<1x12x16x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x12x16x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, o, h, w, c, p, q) -> (n, c, h + p, w + q)>, affine_map<(n, o, h, w, c, p, q) -> (o, c, p, q)>, affine_map<(n, o, h, w, c, p, q) -> (n, o, h, w)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x4x18x18xf32>, memref<12x4x3x3xf32>) outs(%y : memref<1x12x16x16xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}

// Every second pixel: two loads and a shuffle, not a gather; the second load ends with the
// last needed pixel, so begins one earlier.
// CHECK-LABEL: @max_pool
// CHECK:       vector.load %{{.*}}, vector<8xf32>
// CHECK:       vector.load %{{.*}}, vector<8xf32>
// CHECK:       vector.shuffle %{{.*}} [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK:       arith.maximumf
// CHECK:       vector.store
func.func private @max_pool(%x: memref<1x3x16x16xf32>, %y: memref<1x3x8x8xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.max_pool2d"]>} {
  %lowest = arith.constant 0xFF800000 : f32
  %window = memref.alloca() : memref<2x2xf32>
  linalg.fill ins(%lowest : f32) outs(%y : memref<1x3x8x8xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, c, h, w, p, q) -> (n, c, h * 2 + p, w * 2 + q)>, affine_map<(n, c, h, w, p, q) -> (p, q)>, affine_map<(n, c, h, w, p, q) -> (n, c, h, w)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
  } ins(%x, %window : memref<1x3x16x16xf32>, memref<2x2xf32>) outs(%y : memref<1x3x8x8xf32>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32):
    %m = arith.maximumf %a, %acc : f32
    linalg.yield %m : f32
  }
  func.return
}

// Winograd's algorithm: 36 pixels of a tile become 36 points, by columns and then by lines.
// Nine taps of a filter become one line of six points: a middle line (the powers of its point
// are chosen) takes all taps, the first and the last line three. At each point the products
// of four tiles and two vectors of filters are added to those known; four by four pixels come
// back, again by columns and by lines.
// CHECK-LABEL: @winograd
// CHECK:         memref.alloca() {{.*}} : memref<1x36x5x16xf32
// CHECK:         memref.alloca() {{.*}} : memref<36x5x16xf32
// CHECK:         memref.alloca() {{.*}} : memref<6x6x8xf32
// CHECK:         memref.alloca() {{.*}} : memref<6x17x16xf32
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-6:     vector.load %x
// CHECK-COUNT-6:     vector.store {{.*}} : memref<6x6x8xf32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for
// CHECK-COUNT-6:     vector.load {{.*}} : memref<6x6x8xf32
// CHECK-COUNT-6:     vector.store {{.*}} : memref<1x36x5x16xf32
// CHECK-NEXT:      }
// CHECK:         scf.if
// CHECK-COUNT-6:   arith.select
// CHECK-COUNT-9:   vector.load
// CHECK-COUNT-6:   vector.store {{.*}} : memref<6x17x16xf32
// CHECK-NOT:       vector.store
// CHECK:         } else {
// CHECK-COUNT-3:   vector.load
// CHECK-COUNT-6:   vector.store {{.*}} : memref<6x17x16xf32
// CHECK-NOT:       vector.store
// CHECK:         simd.prefetch
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-8:   vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-COUNT-8: vector.store
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-6:     vector.load {{.*}} : memref<36x5x16xf32
// CHECK-COUNT-4:     vector.store {{.*}} : memref<6x6x8xf32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for
// CHECK-COUNT-6:     vector.load {{.*}} : memref<6x6x8xf32
// CHECK-COUNT-4:     vector.store {{.*}} %y
// CHECK-NEXT:      }
// CHECK-NOT:     vector.store
// CHECK-NOT:     linalg
func.func private @winograd(%x: memref<1x10x10x16xf32>, %w: memref<3x3x16x16xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>, %y: memref<1x8x8x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "winograd"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x8x8x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h + p, w + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x10x10x16xf32>, memref<3x3x16x16xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>) outs(%y : memref<1x8x8x16xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}

// Winograd's algorithm along lines: 7 taps with a stride of 2 are four taps (the last one zero) of
// two phases. Eight tiles of eight pixels are turned over, twice, into sixteen vectors; of each
// phase seven make seven points. At each point the products of all seven lines, two channels and two
// phases are summed in registers; seven points come back as four pixels.
// CHECK-LABEL: @winograd_line
// CHECK:         memref.alloca() {{.*}} : memref<7x36x8xf32
// CHECK:         memref.alloca() {{.*}} : memref<7x9x16xf32
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-8:     vector.load %x
// CHECK:             vector.maskedload %x
// CHECK-COUNT-48:    vector.shuffle
// CHECK-NOT:         vector.shuffle
// CHECK-COUNT-14:    vector.store {{.*}} : memref<7x36x8xf32
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-2:   vector.load {{.*}} : memref<1x7x28x16xf32
// CHECK-COUNT-8:   vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK-COUNT-8: vector.store {{.*}} : memref<7x9x16xf32
// CHECK:         scf.for
// CHECK-COUNT-7:   vector.load {{.*}} : memref<7x9x16xf32
// CHECK-COUNT-4:   vector.store {{.*}} %y
// CHECK-COUNT-7:   vector.load {{.*}} : memref<7x9x16xf32
// CHECK-COUNT-4:   vector.store {{.*}} %y
// CHECK-NOT:     linalg
func.func private @winograd_line(%x: memref<1x2x9x69xf32>, %w: memref<7x7x2x16xf32, #dev.on<"cpu", #dev.winograd_line<2, 16>>>, %y: memref<1x2x32x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "winograd_line"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x2x32x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, c, h * 2 + p, w * 2 + q)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x2x9x69xf32>, memref<7x7x2x16xf32, #dev.on<"cpu", #dev.winograd_line<2, 16>>>) outs(%y : memref<1x2x32x16xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}

}
