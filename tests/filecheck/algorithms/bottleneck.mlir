// RUN: devproc-opt %s -p 'choose-schedules{algorithms=bottleneck},expand-schedules' | filecheck %s

// Two images, each in two parts. The ring of three lines has a border of zeros, whose sides
// stay; a line above or below the image is filled. Each line of the result needs two more
// lines of the expanded image, the first of a part three; then its windows, four pixels by
// two vectors, and their projection, with a residual.
// CHECK-LABEL: @bottleneck
// CHECK:       "scf.parallel"
// CHECK:         %[[RING:.*]] = memref.alloca() {{.*}} : memref<3x23x32xf32
// CHECK:         %[[LINE:.*]] = memref.alloca() {{.*}} : memref<11x32xf32
// CHECK:         %[[FLAT:.*]] = plan.view %[[RING]]
// CHECK:         scf.for
// CHECK:           vector.store %{{.*}}, %[[FLAT]]
// CHECK:         scf.for %[[Y:.*]] = {{.*}} iter_args(%[[DONE:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT:      arith.muli %[[Y]]
// CHECK-NEXT:      %[[NEEDED:.*]] = arith.addi
// CHECK-NEXT:      scf.for %[[NEXT:.*]] = %[[DONE]] to %[[NEEDED]]
// CHECK:             %[[INSIDE:.*]] = arith.subi %[[NEXT]]
// CHECK-NEXT:        arith.cmpi ult, %[[INSIDE]]
// CHECK-NEXT:        scf.if
// CHECK:               memref.load %{{.*}}[%{{.*}}, %[[INSIDE]]
// CHECK:               vector.fma
// CHECK:               arith.maximumf
// CHECK:               arith.remui
// CHECK:               vector.store %{{.*}}, %[[RING]]
// CHECK:             } else {
// CHECK:               arith.remui %[[NEXT]]
// CHECK:               vector.store %{{.*}}, %[[FLAT]]
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} iter_args
// CHECK-COUNT-8:       vector.fma
// CHECK:             vector.store %{{.*}}, %[[LINE]]
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             memref.load %[[LINE]]
// CHECK:             vector.fma
// CHECK:           arith.addf
// CHECK:           vector.store %{{.*}}, %y
// CHECK:           scf.yield %[[NEEDED]]
// CHECK-NOT:   linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 4, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @bottleneck(%x: memref<2x21x21x16xf32>, %e: memref<1x1x16x32xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>, %d: memref<3x3x32xf32>, %p: memref<1x1x32x16xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 16]>>>, %r: memref<2x11x11x16xf32>, %y: memref<2x11x11x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "bottleneck", ["nn.conv2d"]>, sched.algorithm = "bottleneck"} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloca() : memref<2x21x21x32xf32>
  %wide = memref.alloca() : memref<2x23x23x32xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<2x21x21x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%x, %e : memref<2x21x21x16xf32>, memref<1x1x16x32xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 32]>>>) outs(%sums : memref<2x21x21x32xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  linalg.fill {kernel.inside = [[#builtin.int<0>, #builtin.int<2>], [#builtin.int<1>, #builtin.int<21>], [#builtin.int<1>, #builtin.int<21>], [#builtin.int<0>, #builtin.int<32>]]} ins(%zero : f32) outs(%wide : memref<2x23x23x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h + 1, w + 1, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%sums : memref<2x21x21x32xf32>) outs(%wide : memref<2x23x23x32xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %u = arith.maximumf %a, %zero : f32
    linalg.yield %u : f32
  }
  %windows = memref.alloca() : memref<2x11x11x32xf32>
  linalg.fill ins(%zero : f32) outs(%windows : memref<2x11x11x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
  } ins(%wide, %d : memref<2x23x23x32xf32>, memref<3x3x32xf32>) outs(%windows : memref<2x11x11x32xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<2x11x11x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (i, j, c, o)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  } ins(%windows, %p : memref<2x11x11x32xf32>, memref<1x1x32x16xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 16]>>>) outs(%y : memref<2x11x11x16xf32>) {
  ^bb0(%a: f32, %f: f32, %acc: f32):
    %m = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]
  } ins(%y, %r : memref<2x11x11x16xf32>, memref<2x11x11x16xf32>) outs(%y : memref<2x11x11x16xf32>) {
  ^bb0(%a: f32, %residual: f32, %unused: f32):
    %s = arith.addf %a, %residual : f32
    linalg.yield %s : f32
  }
  func.return
}
}
