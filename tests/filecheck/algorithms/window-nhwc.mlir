// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' --split-input-file | filecheck %s

// With channels last a convolution is a product: the rows are pixels of a line, the columns
// output channels. Every second pixel of 14: two tiles of seven by two vectors. The 48 terms of
// a line of taps have accumulators of their own. The bias, a residual and a ReLU follow in
// registers.
// CHECK-LABEL: @strided
// CHECK:       scf.for %[[PANEL:.*]] =
// CHECK:         scf.for %[[LINE:.*]] =
// CHECK:           scf.for %[[BLOCK:.*]] = {{.*}} iter_args
// CHECK:           scf.for %[[P:.*]] = %[[BLOCK]] to {{.*}} iter_args
// CHECK:             scf.for %[[Q:.*]] = {{.*}} iter_args
// CHECK:               scf.for %[[C:.*]] = {{.*}} iter_args
// CHECK-COUNT-2:         vector.load %{{.*}}[%[[PANEL]], %[[P]], %[[Q]], %[[C]], %{{.*}}] : memref<2x3x3x16x32xf32, #dev.on<"cpu">>, vector<16xf32>
// CHECK:                 memref.load %{{.*}}[%{{.*}}, %{{.*}}, %[[C]]] : memref<29x29x16xf32>
// CHECK-COUNT-14:        vector.fma
// CHECK-NEXT:            scf.yield
// CHECK-COUNT-14:    arith.addf
// CHECK-NEXT:        scf.yield
// CHECK:           vector.load %b
// CHECK:           arith.addf
// CHECK:           vector.load
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK-NEXT:      vector.store
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @strided(%x: memref<1x29x29x16xf32>, %w: memref<3x3x16x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>, %b: memref<64xf32>, %r: memref<1x14x14x64xf32>, %y: memref<1x14x14x64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x14x14x64xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h * 2 + p, w * 2 + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x29x29x16xf32>, memref<3x3x16x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>) outs(%y : memref<1x14x14x64xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%y, %b, %r : memref<1x14x14x64xf32>, memref<64xf32>, memref<1x14x14x64xf32>) outs(%y : memref<1x14x14x64xf32>) {
  ^bb0(%a: f32, %bias: f32, %residual: f32, %unused: f32):
    %s = arith.addf %a, %bias : f32
    %t = arith.addf %s, %residual : f32
    %u = arith.maximumf %t, %zero : f32
    linalg.yield %u : f32
  }
  func.return
}
}

// -----

// A large image is cut into blocks of lines, which stay in the cache while panel after panel
// passes: 30 lines are three times 8 and 6. Of many small images, some are a block.
// CHECK-LABEL: @blocks_of_lines
// CHECK:       scf.for %[[BLOCK:.*]] = %{{.*}} to %[[FOUR:.*]] step
// CHECK-NEXT:    scf.for %[[PANEL:.*]] =
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
// CHECK:           %[[LAST:.*]] = arith.minui
// CHECK:           scf.for %[[LINE:.*]] = %[[FIRST]] to %[[LAST]] step
// CHECK:             vector.load %{{.*}}[%[[PANEL]],
// CHECK-LABEL: @blocks_of_images
// CHECK:       scf.for %[[BLOCK:.*]] =
// CHECK-NEXT:    scf.for %[[PANEL:.*]] =
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
// CHECK-NOT:       arith.minui
// CHECK:           scf.for %[[IMAGE:.*]] = %[[FIRST]] to
// CHECK:             scf.for %[[LINE:.*]] = %{{.*}} to %{{.*}} step
// CHECK:               vector.load %{{.*}}[%[[PANEL]],
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @blocks_of_lines(%x: memref<1x61x61x32xf32>, %w: memref<3x3x32x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>, %y: memref<1x30x30x64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x30x30x64xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h * 2 + p, w * 2 + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x61x61x32xf32>, memref<3x3x32x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>) outs(%y : memref<1x30x30x64xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @blocks_of_images(%x: memref<6x17x17x64xf32>, %w: memref<3x3x64x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>, %y: memref<6x8x8x64xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<6x8x8x64xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h * 2 + p, w * 2 + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<6x17x17x64xf32>, memref<3x3x64x64xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>) outs(%y : memref<6x8x8x64xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A depthwise convolution has no channels to sum over: vectors along the channels, the last
// of 24 masked.
// CHECK-LABEL: @depthwise
// CHECK:       scf.for
// CHECK:         vector.load %{{.*}} : memref<9x11x24xf32>, vector<16xf32>
// CHECK:         {{arith.mulf|vector.fma}}
// CHECK:         vector.maskedload
// CHECK:         {{arith.mulf|vector.fma}}
// CHECK:         vector.store
// CHECK:         vector.maskedstore
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @depthwise(%x: memref<1x9x11x24xf32>, %w: memref<3x3x24xf32>, %y: memref<1x7x9x24xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x7x9x24xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, c, p, q) -> (n, h + p, w + q, c)>, affine_map<(n, h, w, c, p, q) -> (p, q, c)>, affine_map<(n, h, w, c, p, q) -> (n, h, w, c)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
  } ins(%x, %w : memref<1x9x11x24xf32>, memref<3x3x24xf32>) outs(%y : memref<1x7x9x24xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Winograd's algorithm where tiles do not divide the image: of F(2, 3), four columns of
// tiles for seven pixels, the last one over its neighbour. What is new of it is stored.
// CHECK-LABEL: @ragged
// CHECK:         arith.minui
// CHECK-COUNT-4:   vector.load %x
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.fma
// CHECK:             scf.yield
// CHECK:         arith.cmpi ule
// CHECK-NEXT:    scf.if
// CHECK:           arith.cmpi ule
// CHECK-NEXT:      scf.if
// CHECK:             vector.store {{.*}} %y
// CHECK:           vector.store {{.*}} %y
// CHECK-NOT:     vector.store
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @ragged(%x: memref<1x9x9x32xf32>, %w: memref<3x3x32x32xf32, #dev.on<"cpu", #dev.winograd<2, 32>>>, %y: memref<1x7x7x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "winograd"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x7x7x32xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h + p, w + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x9x9x32xf32>, memref<3x3x32x32xf32, #dev.on<"cpu", #dev.winograd<2, 32>>>) outs(%y : memref<1x7x7x32xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Four tiles: the filters' transforms stay in registers, and 24 sums of products at a line of
// points. The last line and column of tiles lie over their neighbours and need no products at
// the first line and column of points: 22 on most lines, 11 on the first.
// CHECK-LABEL: @few
// CHECK-NOT:   memref.alloca() {{.*}} memref<6x17x32xf32
// CHECK:       %[[PRODUCTS:.*]] = memref.alloca() {{.*}} memref<36x5x32xf32
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-9:     vector.load
// CHECK-COUNT-22:    vector.broadcast
// CHECK-NOT:         vector.broadcast
// CHECK-NOT:         vector.store
// CHECK:             scf.yield
// CHECK-COUNT-22:  vector.store {{.*}} %[[PRODUCTS]]
// CHECK:         } else {
// CHECK:           scf.if
// CHECK:             scf.for {{.*}} iter_args
// CHECK-COUNT-11:      vector.broadcast
// CHECK-NOT:           vector.broadcast
// CHECK:               scf.yield
// CHECK-COUNT-11:    vector.store {{.*}} %[[PRODUCTS]]
// CHECK:           } else {
// CHECK:             scf.for {{.*}} iter_args
// CHECK-COUNT-22:      vector.broadcast
// CHECK:               scf.yield
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @few(%x: memref<1x9x9x32xf32>, %w: memref<3x3x32x32xf32, #dev.on<"cpu", #dev.winograd<4, 32>>>, %y: memref<1x7x7x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "window", ["nn.conv2d"]>, sched.algorithm = "winograd"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x7x7x32xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(n, h, w, o, p, q, c) -> (n, h + p, w + q, c)>, affine_map<(n, h, w, o, p, q, c) -> (p, q, c, o)>, affine_map<(n, h, w, o, p, q, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %w : memref<1x9x9x32xf32>, memref<3x3x32x32xf32, #dev.on<"cpu", #dev.winograd<4, 32>>>) outs(%y : memref<1x7x7x32xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
}
