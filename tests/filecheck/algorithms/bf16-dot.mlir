// RUN: devproc-opt %s -p 'choose-schedules{algorithms=bf16_dot,vectors},expand-schedules' --split-input-file | filecheck %s

// With the instruction: a pair of a row and 16 pairs of the panel, five rows by two vectors;
// 66 terms are blocks of 17 and of 16 pairs.
// CHECK-LABEL: func.func private @dot
// CHECK:       %[[W:.*]] = plan.view %{{.*}} -> memref<3x33x32xi32, #dev.on<"cpu">>
// CHECK:       %[[TWO:.*]] = arith.constant 2 : index
// CHECK:       %[[HALF:.*]] = arith.constant 17 : index
// CHECK:       scf.for %[[PANEL:.*]] = %{{.*}} to %{{.*}} step
// CHECK:       scf.for %[[PAIR:.*]] = %{{.*}} to %[[HALF]] step
// CHECK:         %[[A:.*]] = vector.load %[[W]][%[[PANEL]], %[[PAIR]], %{{.*}}] : memref<3x33x32xi32, #dev.on<"cpu">>, vector<16xi32>
// CHECK:         %[[B:.*]] = vector.load %[[W]][%[[PANEL]], %[[PAIR]], %{{.*}}] : memref<3x33x32xi32, #dev.on<"cpu">>, vector<16xi32>
// CHECK:         %[[TERM:.*]] = arith.muli %[[PAIR]], %[[TWO]] : index
// CHECK-NEXT:    %[[A2:.*]] = vector.bitcast %[[A]] : vector<16xi32> to vector<32xbf16>
// CHECK-NEXT:    %[[B2:.*]] = vector.bitcast %[[B]] : vector<16xi32> to vector<32xbf16>
// CHECK-NEXT:    %[[X:.*]] = vector.load %x[%{{.*}}, %[[TERM]]] : memref<5x66xbf16>, vector<2xbf16>
// CHECK-NEXT:    %[[XW:.*]] = vector.bitcast %[[X]] : vector<2xbf16> to vector<1xi32>
// CHECK-NEXT:    %[[XS:.*]] = vector.broadcast %[[XW]] : vector<1xi32> to vector<16xi32>
// CHECK-NEXT:    %[[X2:.*]] = vector.bitcast %[[XS]] : vector<16xi32> to vector<32xbf16>
// CHECK-NEXT:    simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[X2]], %[[A2]]) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// CHECK-NEXT:    simd.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %[[X2]], %[[B2]])
// CHECK-NEXT:    vector.load %x[%{{.*}}, %[[TERM]]]
// CHECK:         scf.yield
// CHECK:       vector.maskedstore
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512bf16"]>>} {
func.func private @dot(%x: memref<5x66xbf16>, %w: memref<93x66xbf16, #dev.on<"cpu", #dev.layout<[0, 1], [32, 2]>>>, %y: memref<5x93xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "bf16_dot"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<5x93xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<5x66xbf16>, memref<93x66xbf16, #dev.on<"cpu", #dev.layout<[0, 1], [32, 2]>>>) outs(%y : memref<5x93xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %left = arith.extf %a : bf16 to f32
    %right = arith.extf %b : bf16 to f32
    %p = arith.mulf %left, %right : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}

// -----

// Without it: the second terms by a mask, the first ones by a shift. The last pair has a zero.
// CHECK-LABEL: func.func private @widened
// CHECK:       %[[W:.*]] = plan.view %{{.*}} -> memref<1x2x16xi32, #dev.on<"cpu">>
// CHECK:       %[[BITS:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK:       %[[MASK:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK:       %[[A:.*]] = vector.load %[[W]][
// CHECK:       %[[A0:.*]] = arith.shli %[[A]], %[[BITS]] : vector<16xi32>
// CHECK-NEXT:  %[[A1:.*]] = arith.andi %[[A]], %[[MASK]] : vector<16xi32>
// CHECK-NEXT:  %[[SECOND:.*]] = arith.bitcast %[[A1]] : vector<16xi32> to vector<16xf32>
// CHECK-NEXT:  %[[FIRST:.*]] = arith.bitcast %[[A0]] : vector<16xi32> to vector<16xf32>
// CHECK:       %[[SUM:.*]] = vector.fma %{{.*}}, %[[SECOND]], %{{.*}} : vector<16xf32>
// CHECK-NEXT:  %[[SUM2:.*]] = vector.fma %{{.*}}, %[[FIRST]], %[[SUM]] : vector<16xf32>
// CHECK:       vector.load %[[W]][
// CHECK:       %[[X:.*]] = memref.load %{{.*}} : memref<3xbf16>
// CHECK-NEXT:  %[[XB:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK-NEXT:  %[[XW:.*]] = arith.extui %[[XB]] : i16 to i32
// CHECK-NEXT:  vector.broadcast %[[XW]] : i32 to vector<16xi32>
// CHECK:       vector.fma
// CHECK-NEXT:  %[[LAST:.*]] = vector.fma
// CHECK-NEXT:  vector.store %[[LAST]]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
func.func private @widened(%x: memref<1x3xbf16>, %w: memref<16x3xbf16, #dev.on<"cpu", #dev.layout<[0, 1], [16, 2]>>>, %y: memref<1x16xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>, sched.algorithm = "bf16_dot"} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x16xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : memref<1x3xbf16>, memref<16x3xbf16, #dev.on<"cpu", #dev.layout<[0, 1], [16, 2]>>>) outs(%y : memref<1x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %left = arith.extf %a : bf16 to f32
    %right = arith.extf %b : bf16 to f32
    %p = arith.mulf %left, %right : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
}
