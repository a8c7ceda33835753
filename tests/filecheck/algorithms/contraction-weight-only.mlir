// RUN: devproc-opt %s -p 'choose-schedules{algorithms=weight_only,vectors},expand-schedules' --split-input-file | filecheck %s

// A row as bytes that share a scale in each group of 32 terms, four in a word; each word is
// multiplied with the integers of 16 columns by one instruction. The row with NaN or
// infinities is summed again, in floats.
// CHECK-LABEL: @bytes
// CHECK:         plan.view %w
// CHECK:         %[[DIGITS:.*]] = memref.alloca() {{.*}} : memref<3x16xi32, #dev.on<"cpu">>
// CHECK:         math.roundeven
// CHECK:         simd.fptosi {{.*}} : vector<16xf32> to vector<16xi32>
// CHECK:         simd.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK:         vector.bitcast {{.*}} : vector<16xi8> to vector<4xi32>
// CHECK:         vector.store
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             simd.prefetch
// CHECK:             %[[WORDS:.*]] = vector.load {{.*}} : memref<3x2x144xi32, #dev.on<"cpu">>, vector<16xi32>
// CHECK:             memref.load %[[DIGITS]]
// CHECK-COUNT-12:    simd.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:             scf.yield
// CHECK:           vector.load {{.*}} : memref<3x2x288xf16, #dev.on<"cpu">>, vector<16xf16>
// CHECK-NEXT:      arith.extf
// CHECK:           %[[TWO:.*]] = arith.addi
// CHECK-NEXT:      arith.shli %[[TWO]]
// CHECK-NEXT:      %[[ALL:.*]] = arith.addi
// CHECK-NEXT:      simd.sitofp %[[ALL]]
// CHECK:           vector.fma
// CHECK:         scf.if
// CHECK:           vector.fma
// CHECK:         scf.if
// CHECK:           vector.store
// CHECK:         } else {
// CHECK:           vector.maskedstore
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512vnni"]>>} {
func.func private @bytes(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int4, 32, 32>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int4, 32, 32>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Without such an instruction the weight is widened: here pairs of bfloat16, by a shift and a
// mask, each with accumulators of its own.
// CHECK-LABEL: @widened
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             %[[A:.*]] = vector.load {{.*}}, vector<8xi32>
// CHECK:             arith.shli %[[A]]
// CHECK:             memref.load %x
// CHECK:             vector.fma
// CHECK:             arith.andi %[[A]]
// CHECK:             memref.load %x
// CHECK:             vector.fma
// CHECK:           arith.addf
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
func.func private @widened(%x: memref<2x128xf32>, %w: memref<93x128xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 16>>>, %y: memref<2x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<2x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<2x128xf32>, memref<93x128xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 16>>>) outs(%y : memref<2x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// AVX2 has no such instruction: pairs of products are added as int16, which those of int4
// do not overflow, then pairs of those as int32.
// CHECK-LABEL: @pairs
// CHECK:         %[[PAIRS:.*]] = simd.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// CHECK:         %[[SUMS:.*]] = simd.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[PAIRS]], {{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// CHECK-NEXT:    arith.addi {{.*}}, %[[SUMS]] : vector<8xi32>
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256, extensions = ["avx2"]>>} {
func.func private @pairs(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int4, 32, 16>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int4, 32, 16>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// NEON multiplies signed bytes: 128 is taken off those of int8.
// CHECK-LABEL: @signed
// CHECK:         arith.xori {{.*}} : vector<4xi32>
// CHECK:         simd.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, vector_registers = 32, extensions = ["dotprod"]>>} {
func.func private @signed(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 8>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 8>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// With zero points: the sums of a row's bytes are multiplied with them.
// CHECK-LABEL: @zero_points
// CHECK:         %[[ZERO:.*]] = vector.load {{.*}} : memref<3x2x608xi8, #dev.on<"cpu">>, vector<16xi8>
// CHECK-NEXT:    simd.extui %[[ZERO]] : vector<16xi8> to vector<16xi32>
// CHECK:         arith.muli {{.*}} : vector<16xi32>
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-12:  simd.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512vnni"]>>} {
func.func private @zero_points(%x: memref<1x64xf32>, %w: memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 32>>>, %y: memref<1x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x64xf32>, memref<93x64xf32, #dev.on<"cpu", #dev.weight_only<uint4, 32, 32>>>) outs(%y : memref<1x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// One byte of a number for any number of rows: rounded by an addition, row by row in memory, an
// odd number of cache lines apart. Each word of the weight is multiplied with all rows of a tile.
// CHECK-LABEL: @one_byte
// CHECK:         %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<9x48xi32, #dev.on<"cpu">>
// CHECK:         vector.fma
// CHECK-NEXT:    arith.bitcast
// CHECK:         simd.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK:         vector.store {{.*}}, %[[ROWS]]
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             memref.load %[[ROWS]]
// CHECK-COUNT-10:    simd.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NEXT:        scf.yield
// CHECK:           simd.sitofp
// CHECK:           vector.fma
// CHECK-NOT:     linalg
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 512, vector_registers = 32, extensions = ["avx512vnni"]>>} {
func.func private @one_byte(%x: memref<9x128xf32>, %w: memref<93x128xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>, %y: memref<9x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "weight_only"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<9x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<9x128xf32>, memref<93x128xf32, #dev.on<"cpu", #dev.weight_only<int8, 32, 32>>>) outs(%y : memref<9x93xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
