// RUN: devproc-opt %s -p 'choose-schedules{algorithms=register_tile,pixel_tile},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches' --split-input-file | filecheck %s

// Pixels of a line by channels; a tap is one term for all of them. Nothing is interleaved:
// a tile has six sums.
// CHECK-LABEL: @depthwise
// CHECK:       sched.nest @n0 #sched.pixel_tile
// CHECK:       %[[START:.*]] = sched.start @n0 at [{{.*}}] size [1, 3, 24, 3, 3] : vector<3x24xf32>
// CHECK-NEXT:  scf.for %[[P:.*]] = %{{.*}} to
// CHECK-NEXT:    scf.for %[[Q:.*]] = %{{.*}} to
// CHECK-NEXT:      sched.term @n0 at [{{.*}}, %[[P]], %[[Q]]] size [1, 3, 24, 1, 1]
// CHECK-NEXT:      scf.yield
// CHECK:       sched.finish @n0
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
