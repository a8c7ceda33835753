// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},expand-schedules' --split-input-file --verify-diagnostics | filecheck %s

// A panel in block floating point is read as four vectors; these are of 16 numbers.
// CHECK: 'block_float' refuses the nest, and no other algorithm computes it: a panel of 32 outputs is not 4 vectors of 16
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @narrow_panels(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.block_float<32, 32>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "block_float"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.block_float<32, 32>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// CHECK: the kernel @nobody has a packed weight, of the type memref<93x64xf32, #dev.on<"cpu", #dev.block_float<64, 32>>>, but no sched.algorithm that reads its layout
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @nobody(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.block_float<64, 32>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.block_float<64, 32>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
