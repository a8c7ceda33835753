// RUN: devproc-opt %s -p 'choose-schedules{algorithms=winograd,winograd_line,strassen,inner_product,block_float,register_tile,pixel_tile,vectors},tile-nests,open-tiles,split-long-sums,interleave-sums,sink-prefetches,unroll-tiles,expand-schedules' --split-input-file | filecheck %s

// The forms of operands that a register tile reads, and the epilogues it takes: one
// module for each processor, so that tiles of every vector length stand side by side.

// AVX-512, a product of two values of the program, for each of six heads: the second one
// is read as it lies, 40 columns in three vectors, the last of which is masked.
// CHECK-LABEL: @batch
// CHECK:       scf.for %[[H:.*]] = %{{.*}} to %{{.*}} step
// CHECK:         scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK-COUNT-2:   vector.load %y[%[[H]], %[[K]], %{{.*}}] : memref<6x24x40xf32>, vector<16xf32>
// CHECK-NEXT:      vector.maskedload %y[%[[H]], %[[K]], %{{.*}}]
// CHECK-COUNT-24:  vector.fma
// CHECK-NEXT:      scf.yield
// CHECK:         vector.store
// CHECK:         vector.maskedstore
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @batch(%x: memref<6x8x24xf32>, %y: memref<6x24x40xf32>, %z: memref<6x8x40xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.matmul"]>} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<6x8x40xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%x, %y : memref<6x8x24xf32>, memref<6x24x40xf32>) outs(%z : memref<6x8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// AVX2 has sixteen registers of eight lanes: five rows by two vectors, two of the panel,
// one broadcast number. The first factor lies transposed and in f16: it is read through
// its map and widened, one number at a time.
// CHECK-LABEL: @transposed_half
// CHECK:       scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK-COUNT-2: vector.load %{{.*}} : memref<2x32x16xf32, #dev.on<"cpu">>, vector<8xf32>
// CHECK-NEXT:    memref.load %x[%[[K]], %{{.*}}] : memref<32x10xf16>
// CHECK-NEXT:    arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:    vector.broadcast
// CHECK-COUNT-10: vector.fma
// CHECK-NEXT:    scf.yield
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 256>>} {
func.func private @transposed_half(%x: memref<32x10xf16>, %w: memref<32x32xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>, %z: memref<10x32xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<10x32xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<32x10xf16>, memref<32x32xf32, #dev.on<"cpu", #dev.layout<[0, 1], [16, 1]>>>) outs(%z : memref<10x32xf32>) {
  ^bb0(%a: f16, %b: f32, %acc: f32):
    %wide = arith.extf %a : f16 to f32
    %p = arith.mulf %wide, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// SSE2 has no fused multiply-add: of its sixteen registers two stay free, one for a
// broadcast number and one for a product. The epilogue adds a bias of the columns and a
// residual, scales, and casts, all in registers.
// CHECK-LABEL: @epilogue
// CHECK:       scf.for {{.*}} iter_args
// CHECK-COUNT-2: vector.load %{{.*}} : memref<2x32x8xf32, #dev.on<"cpu">>, vector<4xf32>
// CHECK-COUNT-12: vector.fma {{.*}} : vector<4xf32>
// CHECK-NEXT:    scf.yield
// CHECK:       vector.load %b[%{{.*}}] : memref<16xf32>, vector<4xf32>
// CHECK:       arith.addf
// CHECK:       vector.load %r[%{{.*}}, %{{.*}}] : memref<6x16xf32>, vector<4xf32>
// CHECK:       arith.addf
// CHECK:       arith.mulf
// CHECK:       arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK-NEXT:  vector.store %{{.*}}, %y[%{{.*}}, %{{.*}}] : memref<6x16xf16>, vector<4xf16>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64", vector_bits = 128, missing = ["fma", "round", "half"]>>} {
func.func private @epilogue(%x: memref<6x32xf32>, %w: memref<16x32xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>, %b: memref<16xf32>, %r: memref<6x16xf32>, %y: memref<6x16xf16>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  %z = memref.alloca() : memref<6x16xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<6x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<6x32xf32>, memref<16x32xf32, #dev.on<"cpu", #dev.layout<[0, 1], [8, 1]>>>) outs(%z : memref<6x16xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%z, %b, %r : memref<6x16xf32>, memref<16xf32>, memref<6x16xf32>) outs(%y : memref<6x16xf16>) {
  ^bb0(%a: f32, %bias: f32, %residual: f32, %unused: f16):
    %half = arith.constant 0.5 : f32
    %s = arith.addf %a, %bias : f32
    %t = arith.addf %s, %residual : f32
    %u = arith.mulf %t, %half : f32
    %v = arith.truncf %u : f32 to f16
    linalg.yield %v : f16
  }
  func.return
}
}

// -----

// Many rows go in blocks, whose part of the first factor stays in the cache: a block, a
// panel, then its tiles, tall ones up to a border and shorter ones behind it. Each tile
// fetches some of the next panel, with every term a little more.
// CHECK-LABEL: @blocks
// CHECK:       %[[FLAT:.*]] = plan.view %{{.*}} -> memref<79872xf32, #dev.on<"cpu">>
// CHECK:       scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step
// CHECK:         scf.for %[[PANEL:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %{{.*}}
// CHECK:           %[[END:.*]] = arith.addi %[[FIRST]], %{{.*}}
// CHECK:           %[[BORDER:.*]] = arith.minui %[[END]], %{{.*}}
// CHECK:           scf.for %[[TILE:.*]] = %[[FIRST]] to %[[BORDER]]
// CHECK:             arith.minui
// CHECK:             scf.for %[[TERMS:.*]] = {{.*}} iter_args
// CHECK:             scf.for %[[K:.*]] = %[[TERMS]] to {{.*}} iter_args
// CHECK:               %[[MOVED:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-NEXT:          %[[AT:.*]] = arith.addi %{{.*}}, %[[MOVED]]
// CHECK-COUNT-2:       vector.load
// CHECK-NEXT:          simd.prefetch %[[FLAT]][%[[AT]]]
// CHECK-COUNT-24:      vector.fma
// CHECK-NEXT:          scf.yield
// CHECK-COUNT-24:    arith.addf
// CHECK:           %[[SHORT:.*]] = arith.maxui %[[FIRST]], %[[BORDER]]
// CHECK:           scf.for %{{.*}} = %[[SHORT]] to %[[END]]
// CHECK-COUNT-22:      vector.fma
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @blocks(%x: memref<601x192xf32>, %w: memref<416x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>, %y: memref<601x416xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<601x416xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<601x192xf32>, memref<416x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>) outs(%y : memref<601x416xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A share of 24 elements is more than a line of the cache: each line of it is asked for. One
// tile asks for nothing.
// CHECK-LABEL: @two_tiles
// CHECK:       %[[LINE:.*]] = arith.constant 16 : index
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         simd.prefetch %[[FLAT:[0-9]+]][%[[AT:[0-9]+]]]
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[AT]], %[[LINE]] : index
// CHECK-NEXT:    simd.prefetch %[[FLAT]][%[[NEXT]]]
// CHECK-NOT:     simd.prefetch
// CHECK:         scf.yield
// CHECK-LABEL: @one_tile
// CHECK-NOT:   simd.prefetch
// CHECK:       func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @two_tiles(%x: memref<16x192xf32>, %w: memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<16x432xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<16x432xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<16x192xf32>, memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<16x432xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @one_tile(%x: memref<8x192xf32>, %w: memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<8x432xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8x432xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<8x192xf32>, memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<8x432xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A CPU that fetches ahead into its second cache does so for one tile as well, unless that
// has few rows.
// CHECK-LABEL: @eight_rows
// CHECK:         simd.prefetch
// CHECK-LABEL: @seven_rows
// CHECK-NOT:   simd.prefetch
// CHECK:       func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, prefetch_level = 2>>} {
func.func private @eight_rows(%x: memref<8x192xf32>, %w: memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<8x432xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<8x432xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<8x192xf32>, memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<8x432xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @seven_rows(%x: memref<7x192xf32>, %w: memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>, %y: memref<7x432xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<7x432xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<7x192xf32>, memref<432x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [48, 1]>>>) outs(%y : memref<7x432xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// The lines of a large result are fetched before the sum. Rows of 4096 bytes begin with a
// line, those of 4128 bytes do not always, and then a part of them reaches into a third line.
// CHECK-LABEL: @rows_of_whole_lines
// CHECK-COUNT-24: simd.prefetch %y
// CHECK-NOT:     simd.prefetch
// CHECK:         scf.for {{.*}} iter_args
// CHECK-LABEL: @rows_that_share_lines
// CHECK-COUNT-36: simd.prefetch %y
// CHECK-NOT:     simd.prefetch
// CHECK:         scf.for {{.*}} iter_args
// CHECK-LABEL: @small_result
// CHECK-NOT:     simd.prefetch
// CHECK:         func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @rows_of_whole_lines(%x: memref<72x16xf32>, %w: memref<1024x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>, %y: memref<72x1024xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<72x1024xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<72x16xf32>, memref<1024x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>) outs(%y : memref<72x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @rows_that_share_lines(%x: memref<72x16xf32>, %w: memref<1032x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>, %y: memref<72x1032xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<72x1032xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<72x16xf32>, memref<1032x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>) outs(%y : memref<72x1032xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @small_result(%x: memref<32x16xf32>, %w: memref<1032x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>, %y: memref<32x1032xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32x1032xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<32x16xf32>, memref<1032x16xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>) outs(%y : memref<32x1032xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Each of two threads takes panels one after the other, so a tile fetches some of the next.
// CHECK-LABEL: @shared_panels
// CHECK:       %[[ONE:.*]] = arith.constant 1 : index
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^{{.*}}(%[[PANEL:.*]]: index):
// CHECK:         %[[NEXT:.*]] = arith.addi %[[PANEL]], %[[ONE]] : index
// CHECK-NEXT:    arith.minui %[[NEXT]], %{{.*}} : index
// CHECK:         simd.prefetch
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @shared_panels(%x: memref<60x192xf32>, %w: memref<416x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>, %y: memref<60x416xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "register_tile"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<60x416xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<60x192xf32>, memref<416x192xf32, #dev.on<"cpu", #dev.layout<[0, 1], [32, 1]>>>) outs(%y : memref<60x416xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Strassen's algorithm: the weight is stored as seven sums of its blocks. For each product,
// the sum of blocks of the left matrix, then register tiles; each is added to one or two
// blocks of the result, the first one begins them. The third product needs no sum.
// CHECK-LABEL: @strassen
// CHECK:         plan.view %w : {{.*}} -> memref<8x7x256x32xf32, #dev.on<"cpu">>
// CHECK:         %[[SUM:.*]] = memref.alloca() {{.*}} : memref<32x256xf32
// CHECK:         %[[TOTAL:.*]] = memref.alloca() {{.*}} : memref<8x2x2x32x32xf32
// CHECK-COUNT-2: vector.load %x
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    vector.store %{{.*}}, %[[SUM]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           simd.prefetch
// CHECK-NEXT:      memref.load %[[SUM]]
// CHECK:           vector.fma
// CHECK:           scf.yield
// CHECK-NOT:     vector.load %[[TOTAL]]
// CHECK:         vector.store %{{.*}}, %[[TOTAL]]
// CHECK:         vector.store %{{.*}}, %[[SUM]]
// CHECK:         vector.load %[[TOTAL]]
// CHECK-NEXT:    arith.subf
// CHECK-NEXT:    vector.store %{{.*}}, %[[TOTAL]]
// CHECK-NOT:     vector.store %{{.*}}, %[[SUM]]
// CHECK:         memref.load %x
// CHECK:         vector.store %{{.*}}, %[[SUM]]
// CHECK:         vector.store %{{.*}}, %y
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @strassen(%x: memref<64x512xf32>, %w: memref<512x512xf32, #dev.on<"cpu", #dev.strassen<32>>>, %y: memref<64x512xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "strassen"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x512xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<64x512xf32>, memref<512x512xf32, #dev.on<"cpu", #dev.strassen<32>>>) outs(%y : memref<64x512xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// A weight in block floating point: three vectors of words are four vectors of numbers, each
// at the upper end of a word; these become floats. Each block has sums of its own, which
// join the others times the block's scales, behind its numbers. The last panel has no
// numbers of the last two quarters, and takes two loads.
// CHECK-LABEL: @block_float
// CHECK:         %[[FLOATS:.*]] = plan.view %w : {{.*}} -> memref<2x2x1600xf32, #dev.on<"cpu">>
// CHECK:         %[[WORDS:.*]] = plan.view %[[FLOATS]] : {{.*}} -> memref<2x2x1600xi32, #dev.on<"cpu">>
// CHECK:         scf.for %[[BLOCK:.*]] = {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             %[[FIRST:.*]] = vector.load %[[WORDS]][%{{.*}}, %[[BLOCK]], %{{.*}}] : memref<2x2x1600xi32, #dev.on<"cpu">>, vector<16xi32>
// CHECK-NEXT:        %[[A:.*]] = arith.andi %[[FIRST]], %{{.*}}
// CHECK-NEXT:        %[[A_FLOAT:.*]] = simd.sitofp %[[A]] : vector<16xi32> to vector<16xf32>
// CHECK:             %[[MIDDLE:.*]] = vector.load %[[WORDS]]
// CHECK-NEXT:        %[[B_UPPER:.*]] = arith.shli %[[FIRST]]
// CHECK-NEXT:        %[[B_LOWER:.*]] = arith.shrui %[[MIDDLE]]
// CHECK-NEXT:        %[[B_WORD:.*]] = arith.ori %[[B_UPPER]], %[[B_LOWER]]
// CHECK-NEXT:        %[[B:.*]] = arith.andi %[[B_WORD]]
// CHECK-NEXT:        simd.sitofp %[[B]]
// CHECK:             %[[LAST:.*]] = vector.load %[[WORDS]]
// CHECK-NEXT:        %[[C_UPPER:.*]] = arith.shli %[[MIDDLE]]
// CHECK-NEXT:        %[[C_LOWER:.*]] = arith.shrui %[[LAST]]
// CHECK-NEXT:        %[[C_WORD:.*]] = arith.ori %[[C_UPPER]], %[[C_LOWER]]
// CHECK-NEXT:        %[[C:.*]] = arith.andi %[[C_WORD]]
// CHECK-NEXT:        simd.sitofp %[[C]]
// CHECK-NEXT:        %[[D:.*]] = arith.shli %[[LAST]]
// CHECK-NEXT:        simd.sitofp %[[D]]
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        %[[X:.*]] = vector.broadcast
// CHECK-NEXT:        vector.fma %[[X]], %[[A_FLOAT]]
// CHECK-COUNT-3:     vector.fma %[[X]]
// CHECK:           %[[SCALES:.*]] = vector.load %[[FLOATS]][%{{.*}}, %[[BLOCK]], %{{.*}}]
// CHECK:           vector.fma %{{.*}}, %[[SCALES]]
// CHECK:         vector.store
// CHECK:         scf.for
// CHECK-COUNT-2:     vector.load %[[WORDS]]
// CHECK-NOT:         vector.load
// CHECK:             memref.load
// CHECK:         vector.maskedstore
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @block_float(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.block_float<64, 32>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "block_float"} {
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
